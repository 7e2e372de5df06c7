// Version 1 → 2 of events that hold a task: it has a kind and a phase. Before, a task file's words for them were kept
// unread among its unknown fields. The words are repeated here: a lift must not change when the protocol does.
type Fields = Readonly<Record<string, unknown>>;

export const withKindAndPhase = ({ spec, ...fields }: Fields): Record<string, unknown> => ({
  ...fields,
  spec: lifted(spec as Fields),
});

export function adoptedWithKindAndPhase({ task, ...fields }: Fields): Record<string, unknown> {
  const { spec, ...rest } = task as Fields;
  return { ...fields, task: { ...rest, interruptions: 0, spec: lifted(spec as Fields) } };
}

function lifted(spec: Fields): Fields {
  const { kind, phase, ...extra } = spec.extra as Fields;
  const isKind = typeof kind === "string" && ["task", "feature", "fix"].includes(kind);
  const name = typeof phase === "string" ? phase.trim() : "";
  const isPhase = /^[a-z][a-z0-9-]{0,63}$/i.test(name);
  return {
    ...spec,
    kind: isKind ? kind : "task",
    phase: isPhase ? name : null,
    extra: {
      ...extra,
      ...(isKind || kind === undefined ? {} : { kind }),
      ...(isPhase || phase === undefined ? {} : { phase }),
    },
  };
}
