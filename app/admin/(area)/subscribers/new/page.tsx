import type { Metadata } from "next";
import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Checkbox } from "@/app/_components/form/checkbox";
import { TextArea } from "@/app/_components/form/text-area";
import { TextInput } from "@/app/_components/form/text-input";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { AccessEndFields } from "@/app/admin/(area)/subscribers/_components/access-end-fields";
import { PlanAndLimitsFields } from "@/app/admin/(area)/subscribers/_components/plan-and-limits-fields";
import { db } from "@/db/client";
import { findSubscriberByAddress } from "@/lib/admin/form-checks";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";

export const metadata: Metadata = { title: "New subscriber" };

/** The form for a subscriber with a first key. */
export default async function NewSubscriber() {
  const session = await requireAdminSession(adminPaths.newSubscriber());
  const flash = await consumeFlash(db(), session.sessionId);
  const { values, errors } = formState(flash, "subscriber.create");
  const namesake = errors.email && values.email ? await findSubscriberByAddress(db(), values.email) : null;
  return (
    <>
      <PageHeader
        parent={{ href: adminPaths.subscribers(), label: "Subscribers" }}
        title="New subscriber"
        lead="The key is shown once on the next page, with the settings for the trading client, and mailed to the address if there is one."
      />
      <FlashNotice flash={flash} />
      <ActionForm
        needs="subscriber.create"
        action={adminPaths.subscribersForm("create")}
        className="max-w-3xl space-y-6"
      >
        {namesake && (
          <Notice
            tone="warn"
            title="A subscriber with this address already exists"
            actions={
              <>
                <LinkButton href={adminPaths.subscriber(namesake.subscriptionId)} size="small">
                  Open <bdi>{namesake.userName}</bdi>
                </LinkButton>
                <Checkbox name="same_address" value="true" label="Create another subscriber with it" />
              </>
            }
          >
            To give <bdi>{namesake.userName}</bdi> a new key, open that page. A second subscriber with this
            address is created only if you tick the box: both then share their sign-in by mail, and a refund
            ends the access of both.
          </Notice>
        )}
        <Card title="Contact">
          <div className="grid gap-5 sm:grid-cols-2">
            <TextInput
              label="Name"
              name="user_name"
              required
              maxLength={120}
              defaultValue={values.user_name}
              error={errors.user_name}
              autoComplete="off"
            />
            <TextInput
              label="E-mail"
              name="email"
              inputMode="email"
              autoCapitalize="none"
              defaultValue={values.email}
              error={errors.email}
              hint="Blank: no mail, and sign-in by key only."
              autoComplete="off"
            />
            <TextArea
              label="Notes"
              name="notes"
              maxLength={2000}
              defaultValue={values.notes}
              error={errors.notes}
              hint="Only administrators see them."
              className="sm:col-span-2"
            />
          </div>
        </Card>
        <Card title="Plan and end of access">
          <div className="grid gap-5 sm:grid-cols-2">
            <div className="sm:col-span-2">
              <AccessEndFields values={values} errors={errors} />
            </div>
            <PlanAndLimitsFields values={values} errors={errors} />
          </div>
        </Card>
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary">
            Create and show the key
          </Button>
          <LinkButton href={adminPaths.subscribers()} variant="quiet">
            Cancel
          </LinkButton>
        </div>
      </ActionForm>
    </>
  );
}
