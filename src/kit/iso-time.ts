// A moment given as milliseconds, as text. Pure: it never reads a clock.
export const isoTime = (ms: number): string => new Date(ms).toISOString();
