import { LinkButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/notice";
import { formatInstant, formatSpan } from "@/app/_components/times";
import { paths } from "@/lib/paths";
import { minutesBetween } from "@/lib/time";
import type { EaStateName } from "@/lib/vocabulary";

/** The next step when the trading client is silent; nothing while it calls. */
export function EaAdvice({ status, seenAt, now }: { status: EaStateName; seenAt: Date | null; now: Date }) {
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
  const silent = formatSpan(minutesBetween(seenAt, now));
  return (
    <Notice
      tone="warn"
      title={`Your EA has been silent for ${silent}`}
      actions={
        <LinkButton href={paths.portalSetup()} size="small">
          Check the set-up
        </LinkButton>
      }
    >
      The last call came on {formatInstant(seenAt)}. Is the terminal running, Algo Trading switched on, and
      our address allowed under Tools, Options, Expert Advisors?
    </Notice>
  );
}
