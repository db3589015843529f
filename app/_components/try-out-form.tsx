import { Button } from "@/app/_components/button";
import { TextInput } from "@/app/_components/form/text-input";
import { paths } from "@/lib/paths";

/** Asks for the mail that gives a try-out key. */
export function TryOutForm({ error }: { error?: string | undefined }) {
  return (
    <form method="post" action={paths.requestTryOut()} className="space-y-4">
      <TextInput
        label="E-mail"
        name="email"
        inputMode="email"
        autoCapitalize="none"
        required
        autoComplete="email"
        placeholder="you@example.com"
        hint="We mail you a link, and the key when you confirm. Buy with this address later to keep the key."
        error={error}
      />
      <Button type="submit" variant="primary" className="w-full">
        Send the link
      </Button>
    </form>
  );
}
