import { loadExchange } from "@/lib/signals/feeds/ccxt";

/** Whether a library that the operator installs when it is wanted is there. */
export function isInstalled(load: () => Promise<unknown>): Promise<boolean> {
  return load().then(
    () => true,
    () => false,
  );
}

export const hasCcxt = () =>
  isInstalled(() => loadExchange("binance", { enableRateLimit: true, timeout: 1 }));

/** The loader that does what the library documents, and where the library is there its own as well; says so when not. */
export function loadersOf<Load>(
  library: string,
  isThere: boolean,
  loaders: { documented: Load; own: Load },
): [string, Load][] {
  if (!isThere) console.log(`skipped: ${library} itself, because it is not installed`);
  return [
    [`what ${library} documents`, loaders.documented],
    ...(isThere ? [[library, loaders.own] satisfies [string, Load]] : []),
  ];
}
