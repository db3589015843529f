import { Notice } from "@/app/_components/notice";
import type { OpenPause } from "@/db/queries/pauses";
import { describePauseTarget } from "@/lib/access/pauses";
import type { WallClock } from "@/lib/market/clock";
import { PortalTime } from "./portal-time";

/** The operator's current pauses and their reasons. Renders nothing if there are none. */
export function PausedNotice({ pauses, clock }: { pauses: readonly OpenPause[]; clock: WallClock }) {
  const each = [...new Map(pauses.map((pause) => [pause.id, pause])).values()];
  if (each.length === 0) return null;
  return (
    <div className="mb-6">
      <Notice tone="warn" title="Signals are paused">
        <ul className="space-y-1">
          {each.map((pause) => (
            <li key={pause.id}>
              {describePauseTarget(pause).replace(/^a/, "A")} since{" "}
              <PortalTime at={new Date(pause.startedMs)} clock={clock} />
              {pause.untilMs !== null && (
                <>
                  , until <PortalTime at={new Date(pause.untilMs)} clock={clock} />
                </>
              )}
              : {pause.reason}
            </li>
          ))}
        </ul>
        <p className="mt-1">Do not follow a paused signal. Your EA gets none of them.</p>
      </Notice>
    </div>
  );
}
