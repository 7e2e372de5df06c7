import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLibsql } from "./libsql.ts";
import { createSchema, hasSchema } from "./schema.ts";

test("whoever comes second to make the tables finds them and changes nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "harness-schema-"));
  const path = join(folder, "journal.db");
  const sql = await openLibsql(path);
  expect(hasSchema(sql, path)).toBe(false);
  createSchema(sql, path);
  createSchema(sql, path);
  expect(hasSchema(sql, path)).toBe(true);
  sql.close();
  rmSync(folder, { recursive: true });
});
