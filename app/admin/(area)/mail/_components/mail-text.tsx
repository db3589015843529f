/** The plain text of a mail with its line breaks. */
export function MailText({ text }: { text: string }) {
  return (
    <pre className="max-w-[72ch] font-sans text-sm leading-6 break-words whitespace-pre-wrap">{text}</pre>
  );
}
