import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Select } from "@/app/_components/form/select";
import { Notice } from "@/app/_components/notice";
import type { SubscriberPause } from "@/db/queries/subscriber-pauses";
import { coversSlot, describePauseTarget } from "@/lib/access/pauses";
import type { WallClock } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import { PortalForms } from "./portal-forms";
import { PortalTime } from "./portal-time";
import { ShownSubscriptionField } from "./shown-subscription-field";

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** On the overview: the subscriber's own pauses, which stop the EA from opening positions. Renders nothing without one. */
export function OwnPauseNotice({ pauses, clock }: { pauses: readonly SubscriberPause[]; clock: WallClock }) {
  const [first] = pauses;
  if (!first) return null;
  return (
    <Notice
      tone="warn"
      title="You paused your EA"
      actions={
        <LinkButton href={`${paths.portalSignals()}#own-pauses`} size="small">
          Pauses
        </LinkButton>
      }
    >
      {pauses.length === 1 ? (
        <>
          {capital(describePauseTarget(first))} paused since <PortalTime at={first.startedAt} clock={clock} />
          .
        </>
      ) : (
        `${pauses.length} pauses are in force.`
      )}{" "}
      Your EA opens no position there. It still closes and reports positions.
    </Notice>
  );
}

/** The subscriber's own pauses, and the form for a new one. */
export function OwnPauseCard({
  pauses,
  slots,
  seenAt,
  clock,
  isOwnerEnv,
}: {
  pauses: readonly SubscriberPause[];
  slots: readonly { symbol: string; timeframe: string }[];
  /** Time of the EA's last call; null if it has never called. */
  seenAt: Date | null;
  clock: WallClock;
  isOwnerEnv: boolean;
}) {
  const isAllPaused = pauses.some(({ symbol }) => symbol === null);
  const free = slots.filter((slot) => !pauses.some((pause) => coversSlot(pause, slot)));
  return (
    <div id="own-pauses" className="scroll-mt-24">
      <Card
        title="Pause your EA"
        lead="From its next poll, your EA opens no position in paused slots. It still closes and reports positions, and signals still arrive here. If you wrote your EA yourself, it must read the header X-Signals-Paused."
      >
        <PortalForms className="space-y-5">
          {pauses.length > 0 && (
            <ul className="divide-y text-sm">
              {pauses.map((pause) => (
                <li key={pause.id} className="flex flex-wrap items-center justify-between gap-3 py-2.5">
                  <span>
                    <span className="font-medium">{capital(describePauseTarget(pause))}</span> paused since{" "}
                    <PortalTime at={pause.startedAt} clock={clock} />.{" "}
                    <span className="text-muted">
                      {seenAt !== null && seenAt > pause.startedAt ? (
                        <>
                          Your EA has called since, last at <PortalTime at={seenAt} clock={clock} />.
                        </>
                      ) : (
                        "Your EA has not called since."
                      )}
                    </span>
                  </span>
                  <form method="post" action={paths.portalSignalsForm("resume")}>
                    <ShownSubscriptionField />
                    <input type="hidden" name="id" value={pause.id} />
                    <Button type="submit" size="small">
                      End pause
                    </Button>
                  </form>
                </li>
              ))}
            </ul>
          )}
          {!isAllPaused && (
            <form
              method="post"
              action={paths.portalSignalsForm("pause")}
              className="flex flex-wrap items-end gap-3"
            >
              <ShownSubscriptionField />
              <Select
                label="Pause"
                name="slot"
                options={[
                  { value: "", label: "All slots" },
                  ...free.map(({ symbol, timeframe }) => ({
                    value: `${symbol}/${timeframe}`,
                    label: `${symbol} ${timeframe}`,
                  })),
                ]}
              />
              <Button
                type="submit"
                disabledReason={
                  isOwnerEnv
                    ? "Not available with the owner's key, which is set in the configuration."
                    : undefined
                }
              >
                Pause
              </Button>
            </form>
          )}
        </PortalForms>
      </Card>
    </div>
  );
}
