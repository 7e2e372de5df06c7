// A user who has Claude Code on the PATH and a key in the environment, with a scripted model behind it.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { createTestProject, type TestProject } from "../../e2e/project.ts";
import { canSandbox } from "../../e2e/sandboxed.ts";
import { scenarioNamed } from "../mock-model/scenarios.ts";
import { type MockModel, startMockModel } from "../mock-model/server.ts";

interface User {
  readonly project: TestProject;
  readonly model: MockModel;
}

export async function withClaudeCode(
  scenario: string,
  files?: Readonly<Record<string, string>>,
  config: object = {},
): Promise<User> {
  const model = await startMockModel(scenarioNamed(scenario));
  onTestFinished(() => model.close());
  const project = files === undefined ? createTestProject() : createTestProject(files);
  project.configureUser({ sandbox: canSandbox ? "required" : "off", ...config });
  // As whoever has started it before: it makes them outside of any sandbox, and misses them inside.
  mkdirSync(join(project.place, "home/.claude"));
  writeFileSync(join(project.place, "home/.claude.json"), "{}\n");
  project.pass({ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", CLAUDE_CODE_MAX_RETRIES: "1" });
  if (!canSandbox) project.pass({ IS_SANDBOX: "1" });
  project.env.PATH = `${dirname(inject("claude"))}:${project.env.PATH}`;
  project.env.ANTHROPIC_API_KEY = "dummy";
  project.env.ANTHROPIC_BASE_URL = model.url;
  return { project, model };
}
