/** A share in 0..1 as an SVG length. */
export const percentOf = (share: number): string => `${Number((share * 100).toFixed(3))}%`;
