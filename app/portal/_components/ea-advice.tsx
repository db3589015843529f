import { LinkButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/notice";
import { clockOffsetLabel, type WallClock } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import type { EaStateName } from "@/lib/vocabulary";
import { LastEaCallAge } from "./live";
import { PortalTime } from "./portal-time";

/** What to check while the trading client does not call. Empty while it is online and before its first call. */
export function EaAdvice({
  status,
  seenAt,
  clock,
}: {
  status: EaStateName;
  seenAt: Date | null;
  clock: WallClock;
}) {
  // Before its first call the EA card links to the setup.
  if (status === "online" || seenAt === null) return null;
  return (
    <Notice
      tone="warn"
      title={
        <>
          Your EA is not connected. <LastEaCallAge seenAt={seenAt} />
        </>
      }
      actions={
        <LinkButton href={paths.portalSetup()} size="small">
          Check the setup
        </LinkButton>
      }
    >
      That was on <PortalTime at={seenAt} clock={clock} /> ({clockOffsetLabel(clock, seenAt)}). Is the
      terminal running, is Algo Trading on, and is our address allowed under Tools, Options, Expert Advisors?
    </Notice>
  );
}
