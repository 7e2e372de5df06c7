// C2: what is for the user to say, no agent says – also one that hides that it is one.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, createTestProject } from "./project.ts";

const verbs = [
  "approve deploy",
  "deny deploy",
  "resume",
  "retry task-001",
  "reset --yes",
  "accept",
  "drop task-001",
  "edit task-001 --title other",
  "trust accept 0",
  "trust revoke",
  "rescue drop task-001/1 --yes",
  "inbox process",
  "run --trust-all --agent-command true",
  "run --background --agent-command true",
];
const hiding = ["env -u HARNESS_LANE -u HARNESS_TASK_ID -u HARNESS_FENCE -u HARNESS_STATE_ROOT", "setsid -w env -i"];

test.for(hiding)("C2: an agent under `%s` is still one, by the processes above it", async (hide) => {
  const project = createTestProject();
  const harness = `${hide} HOME='${project.env.HOME}' HARNESS_STATE_HOME='${project.env.HARNESS_STATE_HOME}' '${process.execPath}' '${cli}'`;
  const calls = verbs.map(
    (verb) =>
      `(cd '${project.root}' && ${harness} ${verb}) >> '${project.place}/out' 2>&1; echo "exit $?" >> '${project.place}/out'`,
  );
  project.write({ "../agent.sh": ["cat > /dev/null", ...calls, "touch a.txt", ""].join("\n") });
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "test -f a.txt");
  await project.must("run", "--agent-command", `sh ${join(project.place, "agent.sh")}`);
  const said = readFileSync(join(project.place, "out"), "utf8");
  expect(said.match(/this is for the user to say/g)).toHaveLength(verbs.length);
  expect(said.match(/^exit 1$/gm)).toHaveLength(verbs.length);
});

test("C2: in another project an agent is a user like any other", async () => {
  const [project, other] = [createTestProject(), createTestProject()];
  await other.must("init", "--yes");
  await other.must("add", "B", "--validate", "true");
  await other.must("pause");
  const state = other.env.HARNESS_STATE_HOME;
  const line = `HARNESS_STATE_HOME='${state}' '${process.execPath}' '${cli}' --root '${other.root}' resume`;
  project.write({ "../agent.sh": `cat > /dev/null; (${line}) && touch a.txt\n` });
  await project.must("init", "--yes");
  await project.must("add", "A", "--validate", "test -f a.txt");
  await project.must("run", "--agent-command", `sh ${join(project.place, "agent.sh")}`);
  expect(readFileSync(join(other.root, "harness-progress.txt"), "utf8")).toContain("resumed");
});
