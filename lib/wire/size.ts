export const KB = 1024;
export const MB = 1024 * KB;

/** A size limit as text: `64 kB`, `8 MB`. Units are powers of 1,024, and a fraction is cut off. */
export const formatSizeLimit = (bytes: number): string =>
  bytes < MB ? `${Math.floor(bytes / KB)} kB` : `${Math.floor(bytes / MB)} MB`;
