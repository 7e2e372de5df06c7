// The order of test files: those that last longest begin first, so that none of them is waited for alone at the end.
// vitest does that by itself where it remembers an earlier run; a fresh clone remembers none.
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const slow = [
  "src/workspaces/in-place/any-start.test.ts",
  "test/git/hostile-git.test.ts",
  "src/git/rescue/random-trees.test.ts",
  "test/workspaces/crash-points.test.ts",
  "src/workspaces/clone/accept.test.ts",
  "src/workspaces/clone/killed-git.test.ts",
  "test/e2e/adopted-plan.test.ts",
  "test/e2e/merge-queue.test.ts",
];

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = slow.indexOf(relative(this.ctx.config.root, moduleId));
      return place === -1 ? slow.length : place;
    };
    return (await super.sort(files)).sort((a, b) => placeOf(a) - placeOf(b));
  }
}
