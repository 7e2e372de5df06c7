// Standard output and standard error as commands see them: what is written passes the redactor, whoever wrote it.

/** `redact` is asked for with the first word: most of what starts a program says nothing yet. */
export function safeStream<S extends NodeJS.WriteStream>(stream: S, redact: (text: string) => string): S {
  const write = (piece: string | Uint8Array, ...rest: never[]): boolean => {
    const text = typeof piece === "string" ? piece : Buffer.from(piece).toString("utf8");
    return stream.write(redact(text), ...rest);
  };
  return new Proxy(stream, {
    get(target, name) {
      if (name === "write") return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  });
}
