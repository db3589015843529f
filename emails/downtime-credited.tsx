import { type AccessEnd, endRows, formatDateTime } from "./format";
import { ActionButton, Frame, Greeting, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface DowntimeCreditedProps extends AccessEnd {
  name: string | null;
  /** First day of the month, ISO 8601. */
  month: string;
  minutes: number;
  /** The intervals without fresh signals and their causes, oldest first. */
  stretches: readonly { from: string; to: string; what: string }[];
  links: MailLinks;
}

export const subject = ({ minutes }: DowntimeCreditedProps) =>
  `Your access lasts ${duration(minutes)} longer`;

/** Maximum number of intervals listed in the mail; further ones are only counted. */
const LISTED = 10;

/** Sent when access was extended, because the service delivered no fresh signals for some time of a month. */
export function Message(props: DowntimeCreditedProps) {
  const { name, month, minutes, stretches, links } = props;
  const more = stretches.length - LISTED;
  return (
    <Frame
      subject={subject(props)}
      preheader="Our service was unavailable for part of the time you paid for."
      heading={subject(props)}
      footer="You get this mail because you paid for access with this address."
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        In {monthName(month)} our service delivered no fresh signals for {duration(minutes)} while markets
        were open. We have added that time to your access; you do not have to do anything.
      </Paragraph>
      <NameValueTable
        rows={[
          ...stretches
            .slice(0, LISTED)
            .map(({ from, to, what }): [string, string] => [
              `${formatDateTime(from)} to ${formatDateTime(to)}`,
              what,
            ]),
          ...(more > 0
            ? ([["And", `${more} more ${more === 1 ? "outage" : "outages"}`]] satisfies [string, string][])
            : []),
          ...endRows(props),
        ]}
      />
      <ActionButton href={links.portal}>Open the portal</ActionButton>
    </Frame>
  );
}

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

function monthName(month: string): string {
  return `${MONTHS[Number(month.slice(5, 7)) - 1] ?? ""} ${month.slice(0, 4)}`;
}

function duration(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  const words = [
    ...(hours > 0 ? [`${hours} ${hours === 1 ? "hour" : "hours"}`] : []),
    ...(rest > 0 ? [`${rest} ${rest === 1 ? "minute" : "minutes"}`] : []),
  ];
  return words.join(" ");
}

export const previewProps: DowntimeCreditedProps = {
  name: "Ada Lovelace",
  month: "2026-11-01",
  minutes: 205,
  stretches: [
    {
      from: "2026-11-12T10:00:00Z",
      to: "2026-11-12T13:25:00Z",
      what: "the service did not run, so nothing was observed",
    },
  ],
  expiresAt: "2026-12-25T13:25:00Z",
  links: PREVIEW_LINKS,
};
