import { Action, Facts, Frame, Greeting, type MailLinks, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";
import { counted } from "./words";

export interface ModelChangedProps {
  name: string | null;
  /** The slots that are named, each with the model that forecasts there from now on. */
  slots: { slot: string; modelV: string }[];
  /** How many slots it was. */
  nSlots: number;
  links: MailLinks;
}

export const subject = ({ slots, nSlots }: ModelChangedProps) =>
  nSlots === 1 && slots[0] ? `New model for ${slots[0].slot}` : `New models for ${counted(nSlots, "slot")}`;

/** Sent, to those who want it, when slots of their plan have another model. */
export function Message(props: ModelChangedProps) {
  const { name, slots, nSlots, links } = props;
  const others = nSlots - slots.length;
  return (
    <Frame
      subject={subject(props)}
      preheader="What forecasts from now on, and what is expected of it."
      heading={subject(props)}
      footer="You get this mail because you asked to hear of changed models."
      declinable
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        From now on the forecasts of these slots come from another model. Signals that were made before stand
        as they are.
      </Paragraph>
      <Facts rows={slots.map(({ slot, modelV }) => [slot, modelV])} />
      {others > 0 && <Paragraph>And {counted(others, "further slot")}.</Paragraph>}
      <Paragraph>
        What was expected of each model was sealed before its first signal. Page by slot, with what came true
        so far, in the portal under Signals.
      </Paragraph>
      <Action href={links.portal}>Open the portal</Action>
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
