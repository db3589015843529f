import { loadExchange } from "@/lib/signals/feeds/ccxt";

/** Whether an optional library is installed, which `load` imports. */
export function isInstalled(load: () => Promise<unknown>): Promise<boolean> {
  return load().then(
    () => true,
    () => false,
  );
}

export const hasCcxt = () =>
  isInstalled(() => loadExchange("binance", { enableRateLimit: true, timeout: 1 }));

/**
 * Test cases as [title, loader]: a stand-in written from the library's documentation and, when `isThere`, the library
 * itself. Prints a note when it is missing.
 */
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
