/** Processor time of this process in milliseconds while `run` computes, which other work on the machine hardly changes. */
export function processorMsOf(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
