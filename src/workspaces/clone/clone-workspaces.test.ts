import { describeWorkspaces } from "../workspace.contract.ts";
import { makeRealGit } from "./real-git.fixture.ts";

describeWorkspaces("clone", () => makeRealGit());
describeWorkspaces("clone in a sub-directory, with spaces and letters of the world in its path", () =>
  makeRealGit({ name: "pröjekt mit Leer:zeichen '\"", rootPrefix: "pakete/[eins] ü" }),
);
