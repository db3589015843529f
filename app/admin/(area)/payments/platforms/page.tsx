import type { Metadata } from "next";
import { Badge } from "@/app/_components/badge";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CopyButton } from "@/app/_components/copy-button";
import { PageHeader } from "@/app/_components/page-header";
import { Timestamp } from "@/app/_components/timestamp";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { FlashNotice, type FormState, formState } from "@/app/admin/_components/flash-notice";
import { deliveryEffectLabel, PLATFORM_LABELS } from "@/app/admin/_components/payment-labels";
import { SECRET_FORM, SecretField } from "@/app/admin/_components/secret-field";
import { db } from "@/db/client";
import { listNewestPaymentDeliveries, type NewestPaymentDelivery } from "@/db/queries/payment-deliveries";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { adapterOf, secretsOf } from "@/lib/payments/adapters/find-adapter";
import { platformWebhookUrl } from "@/lib/payments/send-test-delivery";
import type { ServiceSecretName } from "@/lib/runtime/variables";
import { settingInForce } from "@/lib/settings/registry";
import { readSecretStates, type SecretState } from "@/lib/settings/service-secrets";
import { PAYMENT_ADAPTERS, type PaymentAdapterName } from "@/lib/vocabulary";

export const metadata: Metadata = { title: "Payment platforms" };

/** Number of deliveries on each platform's card. */
const SHOWN = 3;

/** Each payment platform with its address, its configuration and its last deliveries. */
export default async function Platforms() {
  const session = await requireAdminSession(adminPaths.platforms());
  const [flash, newest, tests, secrets] = await Promise.all([
    consumeFlash(db(), session.sessionId),
    listNewestPaymentDeliveries(db(), PAYMENT_ADAPTERS, SHOWN),
    settingInForce(db(), "payment_tests"),
    readSecretStates(db()),
  ]);
  return (
    <>
      <PageHeader
        parent={{ href: adminPaths.payments(), label: "Payments" }}
        title="Payment platforms"
        lead="Copy the address into the platform's settings, and enter the platform's signing secret here. Deliveries of a platform without a secret get 403. Set what each product buys under Settings, Products."
      />
      <FlashNotice flash={flash} />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        {PAYMENT_ADAPTERS.map((name) => (
          <PlatformCard
            key={name}
            name={name}
            secret={secrets.get(adapterOf(name).secret)}
            sandbox={sandboxStateOf(name, secrets)}
            form={formState(flash, SECRET_FORM)}
            newest={newest.filter(({ adapter }) => adapter === name)}
          />
        ))}
        <TestsCard giveAccess={tests.giveAccess} />
      </div>
    </>
  );
}

function sandboxStateOf(name: PaymentAdapterName, secrets: ReadonlyMap<ServiceSecretName, SecretState>) {
  const { sandboxSecret } = adapterOf(name);
  return sandboxSecret && secrets.get(sandboxSecret);
}

/** Explains test events of the platforms, and says whether they give access. */
function TestsCard({ giveAccess }: { giveAccess: boolean }) {
  return (
    <Card
      title="Test events"
      lead="Events of a platform's test mode are shown as tests. Stripe, Lemon Squeezy, Gumroad and Paddle's simulator mark them. The sandboxes of Paddle and Whop do not: enter the secret of each sandbox, so that its events count as tests."
    >
      <p>
        {giveAccess ? "They give access, as real payments do." : "They give no access."}{" "}
        <a href={adminPaths.settingsPage("access")}>Change</a>
      </p>
    </Card>
  );
}

async function PlatformCard({
  name,
  secret,
  sandbox,
  form,
  newest,
}: {
  name: PaymentAdapterName;
  secret: SecretState | undefined;
  /** The signing secret of the platform's sandbox, set for platforms that do not mark their test events. */
  sandbox: SecretState | undefined;
  form: FormState;
  newest: readonly NewestPaymentDelivery[];
}) {
  const secrets = (await secretsOf(name)).length;
  const address = platformWebhookUrl(name);
  return (
    <Card
      title={
        <>
          {PLATFORM_LABELS[name]}{" "}
          <Badge tone={secrets > 0 ? "up" : "neutral"}>
            {secrets === 0 ? "not configured" : secrets === 1 ? "configured" : "configured, two secrets"}
          </Badge>
        </>
      }
      lead={adapterOf(name).choose}
      footer={
        secrets > 0 && (
          <ActionForm needs="payment.test" action={adminPaths.testPlatform(name)}>
            <Button type="submit" variant="secondary" size="small">
              Send a test
            </Button>
          </ActionForm>
        )
      }
    >
      <p className="flex flex-wrap items-center gap-2">
        <code className="min-w-0 break-all text-sm">{address}</code>
        <CopyButton text={address} what={`the address for ${PLATFORM_LABELS[name]}`} />
      </p>
      {secret && (
        <div className="mt-4">
          <SecretField state={secret} form={form} />
        </div>
      )}
      {sandbox && (
        <div className="mt-4">
          <SecretField state={sandbox} form={form} hint="Events that the sandbox signs are shown as tests." />
        </div>
      )}
      {newest.length === 0 ? (
        <p className="mt-3 text-sm text-muted">No delivery yet.</p>
      ) : (
        <>
          <h3 className="mt-4 text-sm font-medium">Last deliveries</h3>
          <ul className="mt-1 space-y-1 text-sm text-muted">
            {newest.map(({ id, event, effect, receivedAt }) => (
              <li key={id} className="flex flex-wrap gap-x-3">
                <a href={adminPaths.delivery(id)} className="link break-all">
                  {event ?? "unreadable"}
                </a>
                <span>{deliveryEffectLabel({ effect })}</span>
                <Timestamp at={receivedAt} />
              </li>
            ))}
          </ul>
          <a href={adminPaths.payments({ adapter: name })} className="link mt-2 inline-block text-sm">
            All deliveries
          </a>
        </>
      )}
    </Card>
  );
}
