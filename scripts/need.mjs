// Makes sure that the named commands exist: as root on Debian it installs them, anywhere else it says how.
// A missing command is never a reason to skip a test – but for those after `--if-root`: they serve tests that only root
// can do, or are too large to ask of somebody who would have to install them by hand.

import { spawnSync } from "node:child_process";

const debianPackages = {
  bwrap: "bubblewrap",
  cargo: "cargo",
  cc: "gcc libc6-dev",
  faketime: "faketime",
  fish: "fish",
  git: "git",
  go: "golang-go",
  "mkfs.ext4": "e2fsprogs",
  "mkfs.xfs": "xfsprogs",
  python3: "python3",
  setpriv: "util-linux",
  strace: "strace",
  tmux: "tmux",
  zsh: "zsh",
};

const [always, ifRoot] = process.argv.slice(2).join(" ").split("--if-root");
const words = (text) => (text ?? "").split(" ").filter((word) => word !== "");
const missing = [...words(always), ...(isRoot() ? words(ifRoot) : [])].filter((command) => !exists(command));
if (missing.length > 0) {
  const packages = missing.flatMap((command) => packageOf(command).split(" "));
  if (!isRoot() || !exists("apt-get")) {
    fail(`${missing.join(", ")} needed and not found. Run: sudo apt-get install -y ${packages.join(" ")}`);
  }
  apt("update");
  apt("install", "-y", "--no-install-recommends", ...packages);
  const still = missing.filter((command) => !exists(command));
  if (still.length > 0) fail(`${still.join(", ")} still not found after installing ${packages.join(", ")}`);
}

function exists(command) {
  return spawnSync("sh", ["-c", 'command -v -- "$1"', "sh", command], { stdio: "ignore" }).status === 0;
}

function packageOf(command) {
  return debianPackages[command] ?? fail(`no Debian package is known for ${command}: add it to scripts/need.mjs`);
}

function isRoot() {
  return process.getuid?.() === 0;
}

function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status } = spawnSync("apt-get", args, { env, stdio: "inherit" });
  if (status !== 0) fail(`apt-get ${args.join(" ")} failed`);
}

function fail(message) {
  console.error(`need: ${message}`);
  process.exit(1);
}
