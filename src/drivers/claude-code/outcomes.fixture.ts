// Every way Claude Code was seen to end, and what that is: for its recorded streams, and for the real program.
import type { AgentEnd } from "../../protocol/agent.ts";

export interface Outcome {
  readonly exit: number;
  readonly end: AgentEnd;
}

export const outcomes = {
  works: {
    exit: 0,
    end: {
      reason: "finished",
      message: "All done.\nTASK_COMPLETE",
      account: {
        turns: 3,
        tokens: { input: 6530, cached: 10300, output: 82 },
        cost: { basis: "reported", usd: 0.03512 },
      },
    },
  },
  subagent: {
    exit: 0,
    end: {
      reason: "finished",
      message: "done",
      account: { turns: 2, tokens: { input: 300, cached: 0, output: 30 }, cost: { basis: "reported", usd: 0.0018 } },
    },
  },
  "rate-limited-once": {
    exit: 0,
    end: {
      reason: "finished",
      message: "done",
      account: { turns: 1, tokens: { input: 100, cached: 0, output: 10 }, cost: { basis: "reported", usd: 0.0006 } },
    },
  },
  background: {
    exit: 0,
    end: {
      reason: "finished",
      message: "done",
      account: { turns: 3, tokens: { input: 300, cached: 0, output: 30 }, cost: { basis: "reported", usd: 0.0018 } },
    },
  },
  unauthorised: {
    exit: 1,
    end: {
      reason: "failed",
      failure: {
        kind: "auth",
        message: "Claude Code failed: Invalid API key · Fix external API key",
        remedy: "log in: run claude and type /login, or pass a valid ANTHROPIC_API_KEY",
      },
      account: { turns: 1, tokens: { input: 0, cached: 0, output: 0 }, cost: { basis: "reported", usd: 0 } },
    },
  },
  forbidden: {
    exit: 1,
    end: {
      reason: "failed",
      failure: {
        kind: "auth",
        message: "Claude Code failed: Failed to authenticate. API Error: 403 not allowed",
        remedy: "log in: run claude and type /login, or pass a valid ANTHROPIC_API_KEY",
      },
      account: { turns: 1, tokens: { input: 0, cached: 0, output: 0 }, cost: { basis: "reported", usd: 0 } },
    },
  },
  "not-logged-in": {
    exit: 1,
    end: {
      reason: "failed",
      failure: {
        kind: "auth",
        message: "Claude Code failed: Not logged in · Please run /login",
        remedy: "log in: run claude and type /login, or pass a valid ANTHROPIC_API_KEY",
      },
      account: { turns: 1, tokens: { input: 0, cached: 0, output: 0 }, cost: { basis: "reported", usd: 0 } },
    },
  },
  "rate-limited": {
    exit: 1,
    end: {
      reason: "failed",
      failure: {
        kind: "rate_limited",
        message: "Claude Code failed: API Error: Request rejected (429) · rate limited",
        remedy: "wait a while, then run again; use fewer lanes",
      },
      account: { turns: 1, tokens: { input: 0, cached: 0, output: 0 }, cost: { basis: "reported", usd: 0 } },
    },
  },
  "usage-limit": {
    exit: 1,
    end: {
      reason: "limited",
      until: 1900000000000,
      message: "You've hit your limit · resets Mar 17, 2030, 5:46pm (UTC)",
      account: { turns: 1, tokens: { input: 0, cached: 0, output: 0 }, cost: { basis: "reported", usd: 0 } },
    },
  },
  "usage-limit-of-a-key": {
    exit: 1,
    end: {
      reason: "limited",
      until: null,
      message: "API Error: Request rejected (429) · The usage limit has been reached",
      account: { turns: 1, tokens: { input: 0, cached: 0, output: 0 }, cost: { basis: "reported", usd: 0 } },
    },
  },
  "no-credit": {
    exit: 1,
    end: {
      reason: "failed",
      failure: {
        kind: "billing",
        message: "Claude Code failed: Credit balance is too low",
        remedy: "see the billing of your account, or log in with another",
      },
      account: { turns: 1, tokens: { input: 0, cached: 0, output: 0 }, cost: { basis: "reported", usd: 0 } },
    },
  },
  "server-error": {
    exit: 1,
    end: {
      reason: "failed",
      failure: {
        kind: "overloaded",
        message:
          "Claude Code failed: API Error: 500 internal server error. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:1).",
        remedy: "wait a while, then run again",
      },
      account: { turns: 1, tokens: { input: 0, cached: 0, output: 0 }, cost: { basis: "reported", usd: 0 } },
    },
  },
  overloaded: {
    exit: 1,
    end: {
      reason: "failed",
      failure: {
        kind: "overloaded",
        message:
          "Claude Code failed: API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:1).",
        remedy: "wait a while, then run again",
      },
      account: { turns: 1, tokens: { input: 0, cached: 0, output: 0 }, cost: { basis: "reported", usd: 0 } },
    },
  },
  "overloaded-in-stream": {
    exit: 1,
    end: {
      reason: "failed",
      failure: {
        kind: "overloaded",
        message:
          "Claude Code failed: API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:1).",
        remedy: "wait a while, then run again",
      },
      account: { turns: 1, tokens: { input: 2, cached: 0, output: 2 }, cost: { basis: "reported", usd: 4.8e-5 } },
    },
  },
  "prompt-too-long": {
    exit: 1,
    end: {
      reason: "failed",
      failure: {
        kind: "context_overflow",
        message:
          "Claude Code failed: Prompt is too long · the request is ~1200000 tokens (limit 1000000) but this conversation is only ~2618 tokens — the rest is system prompt, tool definitions, and attachment content. A single-exchange conversation cannot be compacted; reduce attached files/tools or start with less context.",
        remedy: "make the task smaller, or give it fewer files and tools",
      },
      account: { turns: 1, tokens: { input: 0, cached: 0, output: 0 }, cost: { basis: "reported", usd: 0 } },
    },
  },
  dropped: {
    exit: 1,
    end: {
      reason: "failed",
      failure: {
        kind: "network",
        message:
          "Claude Code failed: API Error: Connection dropped (ECONNRESET). Check the gateway set in ANTHROPIC_BASE_URL, then try again.",
        remedy: "see that the network and ANTHROPIC_BASE_URL work, then run again",
      },
      account: { turns: 1, tokens: { input: 0, cached: 0, output: 0 }, cost: { basis: "reported", usd: 0 } },
    },
  },
  cut: {
    exit: 1,
    end: {
      reason: "failed",
      failure: {
        kind: "network",
        message:
          "Claude Code failed: API Error: Connection dropped (ECONNRESET). Check the gateway set in ANTHROPIC_BASE_URL, then try again.",
        remedy: "see that the network and ANTHROPIC_BASE_URL work, then run again",
      },
      account: { turns: 1, tokens: { input: 0, cached: 0, output: 0 }, cost: { basis: "reported", usd: 0 } },
    },
  },
  "output-limit": {
    exit: 1,
    end: {
      reason: "failed",
      failure: {
        kind: "output_overflow",
        message:
          "Claude Code failed: API Error: Claude's response exceeded the 128000 output token maximum. To configure this behavior, set the CLAUDE_CODE_MAX_OUTPUT_TOKENS environment variable.",
        remedy: "make the task smaller, or raise CLAUDE_CODE_MAX_OUTPUT_TOKENS",
      },
      account: { turns: 4, tokens: { input: 400, cached: 0, output: 40 }, cost: { basis: "reported", usd: 0.0024 } },
    },
  },
  refusal: {
    exit: 1,
    end: {
      reason: "failed",
      failure: {
        kind: "refused",
        message:
          "Claude Code failed: API Error: Opus 5.5's safeguards flagged this message (https://www.anthropic.com/legal/aup). This sometimes happens with safe, normal conversations. Claude Code can't respond to this message with Opus 5.5.",
        remedy: "say the task in other words, or choose another model",
      },
      account: { turns: 2, tokens: { input: 200, cached: 0, output: 20 }, cost: { basis: "reported", usd: 0.0012 } },
    },
  },
  "turns-used-up": {
    exit: 1,
    end: {
      reason: "failed",
      failure: {
        kind: "turns_used_up",
        message: "Claude Code failed: Reached maximum number of turns (2)",
        remedy: "allow it more turns, or make the task smaller",
      },
      account: { turns: 3, tokens: { input: 200000, cached: 0, output: 2000 }, cost: { basis: "reported", usd: 0.84 } },
    },
  },
  "budget-used-up": {
    exit: 1,
    end: {
      reason: "failed",
      failure: {
        kind: "budget_used_up",
        message: "Claude Code failed: Reached maximum budget ($1)",
        remedy: "raise maxBudgetUsd in the agent's options, or make the task smaller",
      },
      account: { turns: 3, tokens: { input: 300000, cached: 0, output: 3000 }, cost: { basis: "reported", usd: 1.26 } },
    },
  },
  denied: {
    exit: 0,
    end: {
      reason: "failed",
      failure: {
        kind: "tools_denied",
        message: "Claude Code was allowed nothing it tried: Write, Bash",
        remedy:
          "choose another permissionMode in the agent's options, or allow the tools in your settings of Claude Code",
      },
      account: {
        turns: 3,
        tokens: { input: 6530, cached: 10300, output: 82 },
        cost: { basis: "reported", usd: 0.03512 },
      },
    },
  },
  interrupted: {
    exit: 0,
    end: {
      reason: "lost",
      message:
        "Claude Code was interrupted: [ede_diagnostic] result_type=user last_content_type=n/a stop_reason=tool_use",
      account: { turns: 3, tokens: { input: 100, cached: 0, output: 10 }, cost: { basis: "reported", usd: 0.0006 } },
    },
  },
} satisfies Readonly<Record<string, Outcome>>;
