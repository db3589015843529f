import type { ReactNode } from "react";
import { Body, Button, Container, Head, Heading, Hr, Html, Img, Link, Preview, Text } from "react-email";
import { accentStyles, DARK_STYLES, STYLES } from "./theme";

/** Name, logo and colours of the service for a mail, and the targets of its links. Never taken from a request. */
export interface MailLinks {
  /** The service's name. */
  service: string;
  /** URL of the logo. */
  logo: string;
  /** The operator's colours for links; null: the default ones. */
  accent: { light: string; dark: string } | null;
  /** E-mail address of the support; null: none. */
  support: string | null;
  /** E-mail address that reaches the operator: the support's, or the sender's if its mailbox is read; null: none. */
  contact: string | null;
  home: string;
  portal: string;
  /** The page that explains how to connect a trading client. */
  setup: string;
  /** The shop in which access can be renewed; null: none. */
  shop: string | null;
  /** The page with the subscriber's mail preferences. */
  preferences: string;
  /** The link that unsubscribes from this kind of mail; null: this mail has no such link. */
  decline: string | null;
  /** The head of the ledger when the mail was queued, and the page that explains it; null: the mail states no head. */
  witness: { head: string; verify: string } | null;
  /** The portal's page Delivery, with the subscriber's webhooks and Telegram chat. */
  webhooks: string;
}

interface FrameProps {
  subject: string;
  /**
   * Preview text that mail clients show next to the subject, even on locked screens: no secret, at most 90 characters.
   */
  preheader: string;
  heading: string;
  /** Why the recipient gets this mail. */
  footer: string;
  /** Whether the recipient can unsubscribe from this kind of mail. */
  declinable?: boolean;
  links: MailLinks;
  children: ReactNode;
}

/** The frame of every mail: preview text, logo, heading, the given content, footer. */
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

/** A paragraph. With `htmlOnly` it is left out of the plain-text version of the mail. */
export function Paragraph({ children, htmlOnly = false }: { children: ReactNode; htmlOnly?: boolean }) {
  return (
    <Text className="ink" style={STYLES.text} {...(htmlOnly ? { "data-skip-in-text": "true" } : {})}>
      {children}
    </Text>
  );
}

/** "Hello Ada,", or "Hello," if `name` is null. */
export function Greeting({ name }: { name: string | null }) {
  return <Paragraph>{name === null ? "Hello," : `Hello ${name},`}</Paragraph>;
}

/** A table with names and values in two columns. */
export function NameValueTable({ rows }: { rows: readonly (readonly [name: string, value: string])[] }) {
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

/** An API key with its label. The key is on a separate line, without invisible characters, so that it can be copied. */
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

/** Code within a sentence. */
export function InlineCode({ children }: { children: ReactNode }) {
  return <code style={STYLES.inlineCode}>{children}</code>;
}

/** A numbered list of steps. */
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

/** A button that opens a link. */
export function ActionButton({ href, children }: { href: string; children: string }) {
  return (
    <Text style={{ ...STYLES.text, margin: "8px 0 24px" }}>
      <Button className="button" href={href} style={STYLES.button}>
        {children}
      </Button>
    </Text>
  );
}
