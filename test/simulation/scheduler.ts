// Who goes next. Every call of a simulated process to the outside waits for its turn here, so the seed alone
// decides how processes interleave and where they crash.
import type { Random } from "./random.ts";

export interface Actor {
  readonly name: string;
  /** A dead actor never gets another turn; a frozen one not until it thaws. */
  alive: boolean;
  frozen: boolean;
}
interface Waiting {
  readonly actor: Actor;
  readonly at: string;
  readonly go: () => void;
}

export class Scheduler {
  readonly #random: Random;
  #waiting: Waiting[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** Resolves when it is this actor's turn; never, if the actor died. */
  turn(actor: Actor, at: string): Promise<void> {
    if (!actor.alive) return new Promise(() => undefined);
    return new Promise((go) => this.#waiting.push({ actor, at, go }));
  }

  /** Where an actor's calls stand right now. */
  placesOf(actor: Actor): readonly string[] {
    return this.#waiting.filter((waiting) => waiting.actor === actor).map(({ at }) => at);
  }

  /** Lets one waiting call go on; false when nobody can move. */
  async step(): Promise<boolean> {
    await this.settle();
    this.#waiting = this.#waiting.filter(({ actor }) => actor.alive);
    const movable = this.#waiting.filter(({ actor }) => !actor.frozen);
    if (movable.length === 0) return false;
    const chosen = this.#random.pick(movable);
    this.#waiting = this.#waiting.filter((waiting) => waiting !== chosen);
    chosen.go();
    await this.settle();
    return true;
  }

  /** All continuations that can run without a further turn have run. */
  settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}
