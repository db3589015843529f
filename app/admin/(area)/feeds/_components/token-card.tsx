import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { TextInput } from "@/app/_components/form/text-input";
import { SecretOnce } from "@/app/_components/secret-once";
import { ActionForm } from "@/app/admin/_components/action-controls";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { TokenList } from "@/app/admin/_components/token-list";
import type { FeedTokenRow } from "@/db/queries/feed-tokens";
import { adminPaths, paths } from "@/lib/paths";

/** The tokens with which terminals send candles, and the form for a new one. */
export function FeedTokensCard({
  tokens,
  fresh,
  form,
}: {
  tokens: readonly FeedTokenRow[];
  fresh: { name: string; token: string } | null;
  form: FormState;
}) {
  return (
    <Card
      title="Tokens for terminals"
      lead="CandlePusher sends the closed bars of MetaTrader's charts. Its token allows nothing else, so it is safe on any machine."
    >
      <div className="space-y-6">
        {fresh !== null && (
          <SecretOnce
            name={`token for ${fresh.name}`}
            secret={fresh.token}
            storage="After this page we keep only its fingerprint and eight of its characters."
            continueHref={adminPaths.feeds()}
            continueLabel="Done"
          />
        )}
        <TokenList
          tokens={tokens}
          needs="feed-token.revoke"
          action={adminPaths.feedsForm("revoke-token")}
          consequence="Its terminal can send nothing more. Candles it sent stay."
        />
        <ActionForm
          needs="feed-token.create"
          action={adminPaths.feedsForm("create-token")}
          className="space-y-4"
        >
          <TextInput
            label="Name of the terminal"
            name="name"
            required
            maxLength={40}
            defaultValue={form.values.name}
            error={form.errors.name}
            hint="Shown next to the candles it sends."
          />
          <Button type="submit">Create token</Button>
        </ActionForm>
        <p className="text-sm text-muted">
          Download{" "}
          <a href={paths.eaKitFile("CandlePusher.mqh")} className="link">
            CandlePusher.mqh
          </a>
          , and into the same folder{" "}
          <a href={paths.eaKitFile("CandlePusher.mq5")} className="link">
            CandlePusher.mq5
          </a>{" "}
          for MetaTrader 5 or{" "}
          <a href={paths.eaKitFile("CandlePusher.mq4")} className="link">
            CandlePusher.mq4
          </a>{" "}
          for MetaTrader 4.
        </p>
      </div>
    </Card>
  );
}
