import type { ReactNode } from "react";
import { Body, Button, Container, Head, Heading, Hr, Html, Img, Link, Preview, Text } from "react-email";
import { accentStyles, DARK_STYLES, STYLES } from "./theme";

/** The service that sends a mail, and the targets of its links: from the configuration, never from a request. */
export interface MailLinks {
  /** The service's name. */
  service: string;
  /** Address of the logo. */
  logo: string;
  /** The colours of links; null: the default ones. */
  accent: { light: string; dark: string } | null;
  /** The support address; null without one. */
  support: string | null;
  home: string;
  portal: string;
  /** The page on connecting a trading client. */
  setup: string;
  /** The shop, to renew access; null without one. */
  shop: string | null;
  /** The page of mail preferences. */
  preferences: string;
  /** The unsubscribe link of this kind of mail; null if it cannot be declined. */
  decline: string | null;
  /** The head of the ledger when the mail was queued, and the page that explains it; null: none is included. */
  witness: { head: string; verify: string } | null;
  /** The subscriber's webhooks and Telegram chat. */
  webhooks: string;
}

interface FrameProps {
  subject: string;
  /** Preview text next to the subject, shown on locked screens too: no secret, at most 90 characters. */
  preheader: string;
  heading: string;
  /** Why the recipient gets this mail. */
  footer: string;
  /** Whether the recipient can unsubscribe from this kind of mail. */
  declinable?: boolean;
  links: MailLinks;
  children: ReactNode;
}

/** The frame of every mail: preheader, logo, text, footer. */
export function Frame({
  subject,
  preheader,
  heading,
  footer,
  declinable = false,
  links,
  children,
}: FrameProps) {
  return (
    <Html lang="en" dir="ltr">
      <Head>
        <title>{subject}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <meta name="format-detection" content="telephone=no, date=no, address=no, email=no" />
        <style>{links.accent === null ? DARK_STYLES : DARK_STYLES + accentStyles(links.accent)}</style>
      </Head>
      <Body className="page" style={STYLES.body}>
        <Preview useTitleTag={false}>{preheader}</Preview>
        <Container className="card" style={STYLES.card}>
          <Text className="ink" style={STYLES.brand}>
            <Img src={links.logo} alt="" height="32" style={STYLES.logo} data-skip-in-text="true" />
            {links.service}
          </Text>
          <Heading as="h1" className="ink" style={STYLES.heading}>
            {heading}
          </Heading>
          {children}
          <Hr className="line" style={STYLES.rule} />
          <Text className="muted" style={STYLES.small}>
            {footer}
          </Text>
          {declinable && (
            <Text className="muted" style={STYLES.small}>
              <Link className="link" href={links.preferences} style={STYLES.link}>
                Choose which mails you get
              </Link>
              {links.decline !== null && (
                <>
                  {" or "}
                  <Link className="link" href={links.decline} style={STYLES.link}>
                    stop mails of this kind
                  </Link>
                </>
              )}
              .
            </Text>
          )}
          {declinable && links.witness !== null && (
            <Text className="muted" style={{ ...STYLES.small, overflowWrap: "anywhere" }}>
              Head of the ledger: {links.witness.head}. Keep it: with it you can{" "}
              <Link className="link" href={links.witness.verify} style={STYLES.link}>
                prove later
              </Link>{" "}
              that the record was not rewritten.
            </Text>
          )}
          {links.support && (
            <Text className="muted" style={STYLES.small}>
              Questions? Write to{" "}
              <Link className="link" href={`mailto:${links.support}`} style={STYLES.link}>
                {links.support}
              </Link>
              .
            </Text>
          )}
          <Text className="muted" style={{ ...STYLES.small, margin: 0 }}>
            <Link className="link" href={links.home} style={STYLES.link}>
              {links.home}
            </Link>
          </Text>
        </Container>
      </Body>
    </Html>
  );
}

/** `htmlOnly`: omitted from the plain text. */
export function Paragraph({ children, htmlOnly = false }: { children: ReactNode; htmlOnly?: boolean }) {
  return (
    <Text className="ink" style={STYLES.text} {...(htmlOnly ? { "data-skip-in-text": "true" } : {})}>
      {children}
    </Text>
  );
}

/** "Hello Ada,", or "Hello," if the name is unknown or must not be printed. */
export function Greeting({ name }: { name: string | null }) {
  return <Paragraph>{name === null ? "Hello," : `Hello ${name},`}</Paragraph>;
}

/** Names and values in two columns. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: string])[] }) {
  return (
    <table role="presentation" style={STYLES.facts}>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <td className="muted line" style={STYLES.factName}>
              {name}
            </td>
            <td className="ink line" style={STYLES.factValue}>
              {value}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A key to copy: on a separate line, without invisible characters. */
export function KeyBlock({ label, value }: { label: string; value: string }) {
  return (
    <>
      <Text className="muted" style={STYLES.label}>
        {label}
      </Text>
      <div className="sunken ink" style={STYLES.codeBox}>
        <code style={STYLES.code}>{value}</code>
      </div>
    </>
  );
}

export function InlineCode({ children }: { children: ReactNode }) {
  return <code style={STYLES.inlineCode}>{children}</code>;
}

export function Steps({ steps }: { steps: readonly { id: string; text: ReactNode }[] }) {
  return (
    <ol className="ink" style={STYLES.list}>
      {steps.map((step) => (
        <li key={step.id} style={STYLES.item}>
          {step.text}
        </li>
      ))}
    </ol>
  );
}

export function Action({ href, children }: { href: string; children: string }) {
  return (
    <Text style={{ ...STYLES.text, margin: "8px 0 24px" }}>
      <Button className="button" href={href} style={STYLES.button}>
        {children}
      </Button>
    </Text>
  );
}
