// Things at the place of harness-tasks.json that are no plain readable file, or files that disagree.
import type { MalformedPlace } from "./malformation.ts";

const place = (name: string, make: string, expects: MalformedPlace["expects"], says: string): MalformedPlace => ({
  name,
  make,
  expects,
  says,
});

export const fileSystemKinds: readonly MalformedPlace[] = [
  place("directory", "mkdir harness-tasks.json", "refuse", "harness-tasks.json"),
  place("directory with files", "mkdir -p harness-tasks.json/a", "refuse", "harness-tasks.json"),
  place("named pipe, which must not block", "mkfifo harness-tasks.json", "refuse", "harness-tasks.json"),
  place("socket", "a listening Unix socket named harness-tasks.json", "refuse", "harness-tasks.json"),
  place("link to itself", "ln -s harness-tasks.json harness-tasks.json", "refuse", "harness-tasks.json"),
  place("loop of two links", "harness-tasks.json -> other -> harness-tasks.json", "refuse", "harness-tasks.json"),
  place("dangling link", "ln -s nowhere harness-tasks.json", "refuse", "harness-tasks.json"),
  place("link out of the project", "ln -s /etc/passwd harness-tasks.json", "refuse", "harness-tasks.json"),
  place("link to a file inside the project", "ln -s plan.json harness-tasks.json", "refuse", "harness-tasks.json"),
  place("link to a device that never ends", "ln -s /dev/zero harness-tasks.json", "refuse", "harness-tasks.json"),
  place("mode 000, not as root", "chmod 000 harness-tasks.json", "refuse", "harness-tasks.json"),
  place("owned by another user, unreadable", "chown other; chmod 600", "refuse", "harness-tasks.json"),
  place("read-only file", "chmod 400 harness-tasks.json", "accept", ""),
  place("read-only directory", "chmod 500 .", "refuse", "harness-tasks.json"),
  place("hard link to another file", "ln plan.json harness-tasks.json", "accept", ""),
  place("100 GB of holes", "truncate -s 100G harness-tasks.json", "refuse", "harness-tasks.json"),
  place("bytes that are no UTF-8", "printf '\\377\\376{}'", "repair", "harness-tasks.json"),
  place("UTF-16 text", "iconv -t UTF-16LE", "repair", "harness-tasks.json"),
  place("missing, with a good .bak", "mv harness-tasks.json harness-tasks.json.bak", "repair", "harness-tasks.json"),
  place("truncated, with a good .bak", "head -c 40; cp good .bak", "repair", "harness-tasks.json"),
  place("truncated, with a truncated .bak", "head -c 40 both", "refuse", "corrupted and unrecoverable"),
  place(
    "truncated, with a .bak that is a directory",
    "head -c 40; mkdir .bak",
    "refuse",
    "corrupted and unrecoverable",
  ),
  place("good, with a newer .bak", "touch harness-tasks.json.bak", "accept", ""),
  place("good, with a .tmp left behind", "cp harness-tasks.json harness-tasks.json.tmp", "accept", ""),
  place("good, with a .tmp that is a directory", "mkdir harness-tasks.json.tmp", "accept", ""),
  place("good, with a .tmp that is a link out", "ln -s /etc/passwd harness-tasks.json.tmp", "accept", ""),
  place("name differing by case only", "mv harness-tasks.json Harness-Tasks.json", "accept", ""),
];
