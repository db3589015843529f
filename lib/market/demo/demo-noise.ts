/** What a random number of the simulated market is for; numbers of different purposes are independent. */
export type NoisePurpose =
  | "return"
  | "tail"
  | "high"
  | "low"
  | "gap"
  | "volume"
  | "regime_start"
  | "regime_kind"
  | "daily_volatility"
  | "weekly_volatility";

/** Random numbers that are a pure function of (seed, symbol, purpose, index), so that they need no state. */
export interface DemoRandom {
  /** Uniform on the open interval (0, 1). */
  uniform(purpose: NoisePurpose, index: number): number;
  /** Standard normal, by Box-Muller from two uniforms. */
  normal(purpose: NoisePurpose, index: number): number;
}

/** 32-bit FNV-1a of a text. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** The finaliser of MurmurHash3: every bit of the input changes every bit of the output with about even odds. */
function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The source of randomness of one simulated symbol; `seed` is an integer. */
export function createDemoRandom(seed: number, symbol: string): DemoRandom {
  const keys = new Map<string, number>();

  function uniformOf(stream: string, index: number): number {
    let key = keys.get(stream);
    if (key === undefined) {
      key = mix(hashText(`${seed}/${symbol}/${stream}`));
      keys.set(stream, key);
    }
    return (mix(mix(index ^ key) + key) + 0.5) / 0x1_0000_0000;
  }

  return {
    uniform: (purpose, index) => uniformOf(purpose, index),
    normal: (purpose, index) =>
      Math.sqrt(-2 * Math.log(uniformOf(purpose, index))) *
      Math.cos(2 * Math.PI * uniformOf(`${purpose}/angle`, index)),
  };
}
