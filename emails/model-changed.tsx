import { countWithNoun } from "./format";
import { ActionButton, Frame, Greeting, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface ModelChangedProps {
  name: string | null;
  /** The slots that the mail lists, each with the version of its new champion. */
  slots: { slot: string; modelV: string }[];
  /** Number of all slots of the plan with a new champion; `slots` may list only some of them. */
  nSlots: number;
  links: MailLinks;
}

export const subject = ({ slots, nSlots }: ModelChangedProps) =>
  nSlots === 1 && slots[0]
    ? `New model for ${slots[0].slot}`
    : `New models for ${countWithNoun(nSlots, "slot")}`;

/** Sent, to subscribers who chose this mail, when slots of their plan have a new champion. */
export function Message(props: ModelChangedProps) {
  const { name, slots, nSlots, links } = props;
  const others = nSlots - slots.length;
  return (
    <Frame
      subject={subject(props)}
      preheader="The slots and their new models."
      heading={subject(props)}
      footer="You get this mail because you chose mails about model changes."
      declinable
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>From now on, another model forecasts these slots. Earlier signals do not change.</Paragraph>
      <NameValueTable rows={slots.map(({ slot, modelV }) => [slot, modelV])} />
      {others > 0 && <Paragraph>And {countWithNoun(others, "further slot")}.</Paragraph>}
      <Paragraph>
        The claim of each model was sealed before its first signal. The portal shows it next to the results so
        far, under Signals.
      </Paragraph>
      <ActionButton href={links.portal}>Open the portal</ActionButton>
    </Frame>
  );
}

export const previewProps: ModelChangedProps = {
  name: "Ada Lovelace",
  slots: [
    { slot: "EURUSD H1", modelV: "blend-20261122-0a1b2c3d" },
    { slot: "XAUUSD H4", modelV: "trees-20261122-9f8e7d6c" },
  ],
  nSlots: 2,
  links: PREVIEW_LINKS,
};
