// `harness init`: makes the repository a Harness project.
import { initProject } from "../../compose.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";

export async function init(context: Context): Promise<ExitCode> {
  const made = await initProject(context.cwd, context.env, context.root);
  if (!made.ok) return refuse(context, "cannot make this a Harness project", made.failure);
  const { project, created, branch } = made.value;
  const { stdout } = context;
  if (!created) {
    writeLine(stdout, `${project.root} is a Harness project already; nothing was changed`);
    return exitCodes.done;
  }
  writeLine(stdout, `${project.root} is a Harness project now`);
  writeLine(stdout, `  branch  ${branch} (finished work; your own branches stay as they are)`);
  writeLine(stdout, `  state   ${project.home}`);
  writeLine(stdout, `  next    harness add "what to do" --validate "command that checks it"`);
  return exitCodes.done;
}
