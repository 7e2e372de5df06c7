// The glance as it is stored: see runtime/glance-file.ts for who writes and who trusts it.
import * as z from "zod";
import { ProcessIdentity } from "./agent.ts";
import { StatusView } from "./view.ts";

/** Path, size and time of the last change; nulls for a file that is not there. */
export const FileStamp = z.tuple([z.string(), z.number().nullable(), z.number().nullable()]).readonly();
export type FileStamp = z.infer<typeof FileStamp>;

export const Glance = z.object({
  format: z.literal(6),
  /** The last event of the journal this speaks of; its hash stands for the whole history. */
  head: z.object({ position: z.int().positive(), hash: z.string() }),
  boot: z.string(),
  files: z.array(FileStamp),
  /** `tasks` holds the page that is shown. */
  view: StatusView,
  /** The processes of the runs that are on. */
  owners: z.array(ProcessIdentity),
  /** The last lines of the log. */
  log: z.array(z.string()),
  /** The file with all tasks that goes with it. */
  tasks: z.object({ ino: z.number(), size: z.number(), mtimeMs: z.number() }),
});
export type Glance = z.infer<typeof Glance>;
