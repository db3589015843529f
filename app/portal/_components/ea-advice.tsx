import { LinkButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/notice";
import { type Clock, clockName } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import type { EaStateName } from "@/lib/vocabulary";
import { LastCall } from "./ea-state";
import { PortalTime } from "./portal-time";

/** The next step when the trading client is silent; nothing while it calls. */
export function EaAdvice({
  status,
  seenAt,
  clock,
}: {
  status: EaStateName;
  seenAt: Date | null;
  clock: Clock;
}) {
  if (status === "online") return null;
  if (seenAt === null) {
    return (
      <Notice
        title="Your EA has not called yet"
        actions={
          <LinkButton href={paths.portalSetup()} variant="primary" size="small">
            Set it up
          </LinkButton>
        }
      >
        Four steps in MetaTrader 5, about five minutes. The page turns green by itself when the first call
        arrives.
      </Notice>
    );
  }
  return (
    <Notice
      tone="warn"
      title={
        <>
          Your EA is silent. <LastCall />
        </>
      }
      actions={
        <LinkButton href={paths.portalSetup()} size="small">
          Check the set-up
        </LinkButton>
      }
    >
      That was on <PortalTime at={seenAt} clock={clock} /> ({clockName(clock, seenAt)}). Is the terminal
      running, is Algo Trading on, and is our address allowed under Tools, Options, Expert Advisors?
    </Notice>
  );
}
