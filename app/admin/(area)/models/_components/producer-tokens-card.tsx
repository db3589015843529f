import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CodeBlock } from "@/app/_components/code-block";
import { TextArea } from "@/app/_components/form/text-area";
import { TextInput } from "@/app/_components/form/text-input";
import { SecretOnce } from "@/app/_components/secret-once";
import { ActionForm } from "@/app/admin/_components/action-controls";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { TokenList } from "@/app/admin/_components/token-list";
import type { ProducerTokenRow } from "@/db/queries/producer-tokens";
import { adminPaths, paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";

/** The tokens with which model servers send signals, and the form for a new one. */
export function ProducerTokensCard({
  tokens,
  fresh,
  form,
}: {
  tokens: readonly ProducerTokenRow[];
  fresh: { name: string; token: string } | null;
  form: FormState;
}) {
  return (
    <Card
      title="Producer tokens"
      lead="Your own model sends signals, models, features and candles with a token for the slots you name. The token allows nothing else, so the model's server does not need the administrator secret."
    >
      <div className="space-y-6">
        {fresh !== null && (
          <>
            <SecretOnce
              name={`token for ${fresh.name}`}
              secret={fresh.token}
              storage="After this page we keep only its fingerprint and eight of its characters."
              continueHref={adminPaths.models()}
              continueLabel="Done"
            />
            <CodeBlock
              name="Send signals with it (signals.json as under Your own model)"
              code={`curl -H "X-Producer-Token: ${fresh.token}" ${env().baseUrl}/admin/ingest/signals --data @signals.json`}
            />
          </>
        )}
        <TokenList
          tokens={tokens}
          needs="producer-token.revoke"
          action={adminPaths.modelsForm("revoke-token")}
          consequence="Its server can send nothing more. Signals it sent stay."
        />
        <ActionForm
          needs="producer-token.create"
          action={adminPaths.modelsForm("create-token")}
          className="space-y-4"
        >
          <TextInput
            label="Name of the server"
            name="name"
            required
            maxLength={40}
            defaultValue={form.values.name}
            error={form.errors.name}
            hint="Shown in the audit log next to what it sends."
          />
          <TextArea
            label="Slots"
            name="slots"
            required
            maxLength={4000}
            placeholder="EURUSD/H1, XAUUSD/H1"
            defaultValue={form.values.slots}
            error={form.errors.slots}
            hint="As EURUSD/H1, separated by commas or lines."
          />
          <Button type="submit">Create token</Button>
        </ActionForm>
        <p className="text-sm text-muted">
          How to connect a model:{" "}
          <a href={paths.docs("own-model")} className="link">
            Your own model
          </a>
          .
        </p>
      </div>
    </Card>
  );
}
