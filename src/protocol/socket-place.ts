// Where an agent finds the socket of its attempt. By itself, because the first module of the program loads next to nothing.

export const socketVariable = "HARNESS_SOCKET";
/** In a sandbox: short, and hidden from everybody else. Whoever is told another path is in none. */
export const socketInSandbox = "/run/harness/socket";
