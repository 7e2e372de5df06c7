// `harness init`: makes the repository a Harness project, and proposes what would make it a good one.
import {
  detectProject,
  type Initialised,
  initProject,
  initScriptTemplate,
  proposedSetup,
  trustProject,
  writeSetup,
} from "../../compose.ts";
import type { Detected } from "../../runtime/detect/candidate.ts";
import type { SetupProposal } from "../../runtime/detect/propose-setup.ts";
import type { Project } from "../../runtime/project.ts";
import { asking, canAsk } from "./ask.ts";
import { type Context, refuse, writeLine } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { addToGitignore, hasInitScript, missingFromGitignore, writeInitScript } from "./init-files.ts";
import { initText, setupText } from "./init-text.ts";

export interface InitOptions {
  readonly yes?: true;
}

export async function init(options: InitOptions, context: Context): Promise<ExitCode> {
  const made = await initProject(context.cwd, context.env, context.root);
  if (!made.ok) return refuse(context, "cannot make this a Harness project", made.failure);
  const { project, created } = made.value;
  const found = await proposedSetup(project, context.env);
  if (!found.ok) return refuse(context, "cannot make this a Harness project", found.failure);
  const proposed = found.value;
  const isAsked = !options.yes && canAsk(context);
  if (!created && (proposed?.setup == null || !(options.yes || isAsked))) {
    writeLine(context.stdout, `${project.root} is a Harness project already; nothing was changed`);
    return exitCodes.done;
  }
  const detected = await detectProject(project.root);
  if (created) writeLine(context.stdout, initText(made.value, detected, { proposed, taken: options.yes === true }));
  if (proposed?.setup != null) await offerSetup(project, proposed.setup, options.yes === true, context);
  if (created && isAsked) await offerFiles(made.value, detected, context);
  return exitCodes.done;
}

/** Never over a configuration that is there; without a yes only shown. */
async function offerSetup(project: Project, setup: SetupProposal, yes: boolean, context: Context): Promise<void> {
  const question = `Write this set-up into .harness/config.json? ${setupText(setup)}`;
  const wanted = yes || (canAsk(context) && (await asking(context, ({ confirm }) => confirm(question, true))) === true);
  if (!wanted) return;
  if (!(await writeSetup(project, setup))) {
    writeLine(
      context.stdout,
      `.harness/config.json is there and stays as it is; to add: "setup": ${JSON.stringify(setup)}`,
    );
    return;
  }
  // A script that came with the project is accepted by its own hash, not along with this.
  if (!hasInitScript(project.root)) await trustProject(project, context.env);
  writeLine(
    context.stdout,
    "Wrote .harness/config.json: each checkout is set up once, and again when its inputs change",
  );
}

/** The project is one already: taking the questions back leaves it without these files. */
async function offerFiles({ project }: Initialised, detected: Detected, context: Context): Promise<void> {
  const { root } = project;
  const lacking = await missingFromGitignore(root);
  const wishes = await asking(context, async ({ confirm }) => ({
    script:
      !hasInitScript(root) &&
      (await confirm("Write harness-init.sh, a health check that runs before every session?", false)),
    ignore:
      lacking.length > 0 &&
      (await confirm("Add Harness's own files to .gitignore? (Here git ignores them anyway.)", false)),
  }));
  if (wishes === null) return;
  if (wishes.script && (await writeInitScript(root, initScriptTemplate(detected)))) {
    await trustProject(project, context.env);
    writeLine(
      context.stdout,
      "Wrote harness-init.sh: read and adapt it; once changed, the next run asks for its new hash",
    );
  }
  if (wishes.ignore) {
    await addToGitignore(root, lacking);
    writeLine(context.stdout, `Added to .gitignore: ${lacking.join(" ")}`);
  }
}
