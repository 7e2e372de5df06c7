// Things at the place of harness-tasks.json that are no plain readable file, or files that disagree. The program that
// finds them has no more rights than their modes give it, whoever runs the tests.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { MalformedPlace } from "./malformation.ts";

const planOf = (title: string): string =>
  `{"version": 2, "tasks": [{"id": "task-001", "title": "${title}", "validation": {"command": "test -f one"}}]}\n`;
const good = planOf("One");
const cut = good.slice(0, 40);
const noUtf8 = Buffer.from([0xff, 0xfe, 0x7b]);
/** A user that is never the one who runs the tests. */
const nobody = 65_534;

type Make = MalformedPlace["make"];
const write =
  (text: string | Uint8Array): Make =>
  (file) =>
    writeFileSync(file, text);
const writeBackup =
  (text: string): Make =>
  (file) =>
    writeFileSync(`${file}.bak`, text);
const link =
  (target: string, suffix = ""): Make =>
  (file) =>
    symlinkSync(target, `${file}${suffix}`);
const folder =
  (suffix: string): Make =>
  (file) =>
    void mkdirSync(`${file}${suffix}`, { recursive: true });

const place =
  (expects: MalformedPlace["expects"], titles: readonly string[]) =>
  (name: string, says: string, ...makes: readonly Make[]): MalformedPlace => ({
    name,
    make: (file) => {
      for (const make of makes) make(file);
    },
    expects,
    says,
    titles,
  });
const refused = place("refuse", []);
const repaired = place("repair", ["One"]);
const accepted = place("accept", ["One"]);
const passedOver = place("accept", []);

export const fileSystemKinds: readonly MalformedPlace[] = [
  refused("directory", "is a directory, not a file", folder("")),
  refused("directory with files", "is a directory, not a file", folder("/a")),
  refused("named pipe, which must not block", "is a named pipe, not a file", makePipe),
  refused("socket", "is a socket or device, not a file", listenOnce),
  refused("link to itself", "is a link, not a file", link("harness-tasks.json")),
  refused("loop of two links", "is a link, not a file", link("harness-tasks.json", ".2"), link("harness-tasks.json.2")),
  refused("dangling link", "is a link, not a file", link("nowhere")),
  refused("link out of the project", "is a link, not a file", link("/etc/passwd")),
  refused("link to a file inside the project", "is a link, not a file", link("plan.json"), (file) =>
    writeFileSync(join(dirname(file), "plan.json"), good),
  ),
  refused("link to a device that never ends", "is a link, not a file", link("/dev/zero")),
  refused("mode 000", "cannot be opened (EACCES)", write(good), (file) => chmodSync(file, 0)),
  refused("mode 000, with a good .bak", "cannot be opened (EACCES)", write(good), writeBackup(good), (file) =>
    chmodSync(file, 0),
  ),
  refused("owned by another user, unreadable", "cannot be opened (EACCES)", write(good), (file) => {
    chmodSync(file, 0o600);
    chownSync(file, nobody, nobody);
  }),
  accepted("owned by another user, readable", "", write(good), (file) => chownSync(file, nobody, nobody)),
  accepted("read-only file", "", write(good), (file) => chmodSync(file, 0o400)),
  refused("read-only directory", "cannot be written: EACCES", write(good), (file) => chmodSync(dirname(file), 0o500)),
  accepted("hard link to another file", "", write(good), (file) => linkSync(file, join(dirname(file), "plan.json"))),
  refused("100 GB of holes", "is larger than", write(""), (file) => truncateSync(file, 100 * 2 ** 30)),
  refused("bytes that are no UTF-8", "corrupted and unrecoverable", write(noUtf8)),
  repaired("bytes that are no UTF-8, with a good .bak", "is damaged: taken from", write(noUtf8), writeBackup(good)),
  refused("UTF-16 text", "corrupted and unrecoverable", write(Buffer.from(good, "utf16le"))),
  repaired("missing, with a good .bak", "is missing: taken from harness-tasks.json.bak", writeBackup(good)),
  passedOver("missing, with a truncated .bak", "", writeBackup(cut)),
  refused("truncated, without a .bak", "corrupted and unrecoverable", write(cut)),
  repaired("truncated, with a good .bak", "is damaged: taken from", write(cut), writeBackup(good)),
  refused("truncated, with a truncated .bak", "corrupted and unrecoverable", write(cut), writeBackup(cut)),
  refused("truncated, with a .bak that is a directory", "corrupted and unrecoverable", write(cut), folder(".bak")),
  refused(
    "truncated, with a .bak that is a link",
    "corrupted and unrecoverable",
    write(cut),
    link("plan", ".bak"),
    (file) => writeFileSync(join(dirname(file), "plan"), good),
  ),
  accepted("good, with a newer .bak", "", write(good), writeBackup(planOf("Two")), (file) =>
    utimesSync(file, new Date(0), new Date(0)),
  ),
  accepted("good, with a .tmp left behind", "", write(good), (file) => writeFileSync(`${file}.tmp`, good)),
  accepted("good, with a .tmp that is a directory", "", write(good), folder(".tmp")),
  accepted("good, with a .tmp that is a link out", "", write(good), link("/etc/passwd", ".tmp")),
  passedOver("name differing by case only", "", write(good), (file) =>
    renameSync(file, join(dirname(file), "Harness-Tasks.json")),
  ),
];

/** Whoever listened on it has ended; the socket is still there. */
function listenOnce(file: string): void {
  const listen = "require('net').createServer().listen(process.argv[1], () => process.exit())";
  execFileSync(process.execPath, ["-e", listen, file]);
}

function makePipe(file: string): void {
  execFileSync("sh", ["-c", 'mkfifo "$0"', file]);
}
