// What a tool of a real agent does: hands off over the socket of its attempt. node handoff.mjs SUMMARY NEXT
import { createConnection } from "node:net";
import { basename, dirname } from "node:path";

const [summary, next] = process.argv.slice(2);
const place = process.env.HARNESS_SOCKET;
// The path of a socket may have a hundred characters only.
process.chdir(dirname(place));
const socket = createConnection(basename(place), () =>
  socket.write(`${JSON.stringify({ verb: "handoff", summary, next })}\n`),
);
socket.pipe(process.stderr);
