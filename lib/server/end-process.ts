/**
 * Ends the process at once. `process.exit` waits for look-ups of names in progress, a minute and more while no name
 * server answers. During one the process ends by SIGKILL instead, without this exit code; so write the log before.
 */
export function endProcess(code: number): never {
  if (process.getActiveResourcesInfo().includes("GetAddrInfoReqWrap")) process.kill(process.pid, "SIGKILL");
  process.exit(code);
}
