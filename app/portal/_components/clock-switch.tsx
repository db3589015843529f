import { classNames } from "@/app/_components/class-names";
import { PortalForms } from "@/app/portal/_components/portal-forms";
import { ShownSubscriptionField } from "@/app/portal/_components/shown-subscription-field";
import { clockOffsetLabel, type WallClock } from "@/lib/market/clock";
import { paths } from "@/lib/paths";

const WORD = { utc: "UTC", local: "Local", broker: "Broker" } as const;

/** The clock for times in the portal. The choice is stored with the subscription. */
export function ClockSwitch({ clock, back, now }: { clock: WallClock; back: string; now: Date }) {
  return (
    <PortalForms>
      <form method="post" action={paths.portalForm("clock")} className="flex items-center gap-2.5">
        <ShownSubscriptionField />
        <input type="hidden" name="back" value={back} />
        {/* `public/enhance.js` enters this device's time zone when the form is sent. */}
        <input type="hidden" name="device_time_zone" data-time-zone="" />
        <fieldset className="inline-flex rounded-md border bg-raised p-0.5">
          <legend className="sr-only">Times in</legend>
          {(["utc", "local", "broker"] as const).map((kind) => (
            <button
              key={kind}
              type="submit"
              name="clock"
              value={kind}
              aria-pressed={clock.kind === kind}
              className={classNames(
                "h-7 rounded-sm px-2.5 text-xs font-medium",
                clock.kind === kind ? "bg-sunken text-ink" : "text-muted hover:text-ink",
              )}
            >
              {WORD[kind]}
            </button>
          ))}
        </fieldset>
        {clock.kind !== "utc" && <span className="text-xs text-faint">{clockOffsetLabel(clock, now)}</span>}
      </form>
    </PortalForms>
  );
}
