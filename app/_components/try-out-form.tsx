import { Button } from "@/app/_components/button";
import { TextInput } from "@/app/_components/form/text-input";
import { paths } from "@/lib/paths";

/** Form that requests the link to a try-out key. */
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
        hint="We mail you a link. After you confirm it, we mail you the key. To keep the key, buy with the same address."
        error={error}
      />
      <Button type="submit" variant="primary" className="w-full">
        Send the link
      </Button>
    </form>
  );
}
