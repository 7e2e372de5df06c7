// Loaded into the program under test: leaves the most memory it ever had, in kilobytes, when it ends.
const { writeFileSync } = require("node:fs");

const file = process.env.HARNESS_TEST_PEAK;
if (file !== undefined && process.argv[2] === "run") {
  process.on("exit", () => writeFileSync(file, String(process.resourceUsage().maxRSS)));
}
