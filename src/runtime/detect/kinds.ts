// One row per kind of project. A new kind is a new row; of rows that are equally sure, the upper one goes first.
import { valueAt } from "../config/merge.ts";
import type { Finding, Kind } from "./candidate.ts";
import { detectNode } from "./node.ts";
import { detectPython } from "./python.ts";

const usual = (finding: Omit<Finding, "basis">): Finding => ({ basis: "usual", ...finding });
const declared = (finding: Omit<Finding, "basis">): Finding => ({ basis: "declared", ...finding });

export const kinds: readonly Kind[] = [
  { kind: "node", detect: detectNode },
  {
    kind: "deno",
    async detect(look) {
      const file = await look.first("deno.json", "deno.jsonc");
      if (file === null) return null;
      const parts = { setup: null, tools: ["deno"], dependencies: null };
      return typeof valueAt(await look.json(file), ["tasks", "test"]) === "string"
        ? declared({ validation: "deno task test", why: `${file} has a task "test"`, ...parts })
        : usual({ validation: "deno test", why: `${file}`, ...parts });
    },
  },
  {
    kind: "php",
    async detect(look) {
      const composer = await look.json("composer.json");
      if (composer === null) return null;
      const setup = "composer install --no-interaction";
      const parts = { setup, tools: ["php", "composer"], dependencies: "vendor" };
      if (valueAt(composer, ["scripts", "test"]) !== undefined) {
        return declared({ validation: "composer test", why: 'composer.json has a script "test"', ...parts });
      }
      const config = await look.first("phpunit.xml", "phpunit.xml.dist");
      const hasUnit = config !== null || valueAt(composer, ["require-dev", "phpunit/phpunit"]) !== undefined;
      const why = hasUnit ? `composer.json with PHPUnit` : "composer.json, but no tests that we know of";
      return usual({ validation: hasUnit ? "vendor/bin/phpunit" : null, why, ...parts });
    },
  },
  {
    kind: "just",
    async detect(look) {
      const file = await look.first("justfile", "Justfile", ".justfile");
      const text = file === null ? null : await look.text(file);
      if (text === null || !/^@?test\b[^:=\n]*:(?!=)/m.test(text)) return null;
      const why = `${file} has a recipe "test"`;
      return declared({ validation: "just test", setup: null, why, tools: ["just"], dependencies: null });
    },
  },
  {
    kind: "make",
    async detect(look) {
      const file = await look.first("GNUmakefile", "makefile", "Makefile");
      const text = file === null ? null : await look.text(file);
      const target = ["test", "check"].find((name) => makeTargets(text ?? "").has(name));
      if (target === undefined) return null;
      const why = `${file} has a target "${target}"`;
      return declared({ validation: `make ${target}`, setup: null, why, tools: ["make"], dependencies: null });
    },
  },
  {
    kind: "rust",
    async detect(look) {
      const cargo = await look.text("Cargo.toml");
      if (cargo === null) return null;
      const validation = /^\[workspace\]/m.test(cargo) ? "cargo test --workspace" : "cargo test";
      const setup = (await look.first("Cargo.lock")) === null ? "cargo fetch" : "cargo fetch --locked";
      return usual({ validation, setup, why: "Cargo.toml", tools: ["cargo"], dependencies: null });
    },
  },
  {
    kind: "go",
    async detect(look) {
      if ((await look.first("go.mod")) === null) return null;
      const parts = { setup: "go mod download", tools: ["go"], dependencies: null };
      return usual({ validation: "go test ./...", why: "go.mod", ...parts });
    },
  },
  { kind: "python", detect: detectPython },
  {
    kind: "ruby",
    async detect(look) {
      const gemfile = await look.text("Gemfile");
      if (gemfile === null) return null;
      const parts = { setup: "bundle install", tools: ["ruby", "bundle"], dependencies: null };
      if ((await look.first(".rspec")) !== null || /\brspec/.test(gemfile)) {
        return usual({ validation: "bundle exec rspec", why: "Gemfile with RSpec", ...parts });
      }
      if ((await look.first("bin/rails")) !== null) {
        return usual({ validation: "bin/rails test", why: "Gemfile and bin/rails", ...parts });
      }
      return (await look.first("Rakefile")) === null
        ? usual({ validation: null, why: "Gemfile, but no tests that we know of", ...parts })
        : usual({ validation: "bundle exec rake test", why: "Gemfile and Rakefile", ...parts });
    },
  },
  {
    kind: "maven",
    async detect(look) {
      if ((await look.first("pom.xml")) === null) return null;
      const [run, tool] = (await look.first("mvnw")) === null ? ["mvn", "mvn"] : ["./mvnw", "java"];
      return usual({ validation: `${run} -B test`, setup: null, why: "pom.xml", tools: [tool], dependencies: null });
    },
  },
  {
    kind: "gradle",
    async detect(look) {
      const file = await look.first("build.gradle", "build.gradle.kts");
      if (file === null) return null;
      const [run, tool] = (await look.first("gradlew")) === null ? ["gradle", "gradle"] : ["./gradlew", "java"];
      return usual({ validation: `${run} test`, setup: null, why: file, tools: [tool], dependencies: null });
    },
  },
  {
    kind: "elixir",
    async detect(look) {
      if ((await look.first("mix.exs")) === null) return null;
      const parts = { setup: "mix deps.get", tools: ["mix"], dependencies: "deps" };
      return usual({ validation: "mix test", why: "mix.exs", ...parts });
    },
  },
];

/** Names to the left of a rule's colon; an assignment (`:=`, `::=`) is no rule, and a recipe starts with a tab. */
function makeTargets(text: string): ReadonlySet<string> {
  const rules = text.matchAll(/^([^\s#:=][^:=#\n]*)::?(?![:=])/gm);
  return new Set([...rules].flatMap(([, names = ""]) => names.trim().split(/\s+/)));
}
