// A stream as it is kept for unit tests: every line and every event, without lists and ids nobody reads.

const left = new Set([
  ...[
    "tools",
    "mcp_servers",
    "slash_commands",
    "terminal_slash_commands",
    "skills",
    "agents",
    "plugins",
    "capabilities",
  ],
  ...["uuid", "memory_paths", "messaging_socket_path", "timestamp", "request_id", "subagent_stats", "tool_use_result"],
  ...["tool_result_meta", "model_usage_since_last_result", "iterations", "server_tool_use", "cache_creation"],
]);

export const recordingOf = (stream: string): string =>
  stream
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => `${JSON.stringify(JSON.parse(line, (key, value) => (left.has(key) ? undefined : value)))}\n`)
    .join("");
