// How long a claim lasts unless it is renewed (rule L2).
export const defaultLeaseSeconds = 1_800;
