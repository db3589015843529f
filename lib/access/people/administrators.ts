import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Database, Transaction } from "@/db/client";
import {
  type AdministratorRecord,
  endAdministratorSessions,
  findAdministrator,
  findAdministratorByLink,
  insertAdministrator,
  listAdministratorAddresses,
  lockAdministrator,
  lockOwners,
  replaceSignInLink,
  updateAdministrator,
  updateInvitation,
} from "@/db/queries/administrators";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { env } from "@/lib/runtime/env";
import { errorFacts, log } from "@/lib/runtime/log";
import { decrypt, encrypt, sha256 } from "@/lib/runtime/secrets";
import { HOUR_MS } from "@/lib/time";
import type { AdminRole } from "@/lib/vocabulary";
import { normalizeEmail } from "@/lib/wire/email";
import { AppError, invalidField } from "@/lib/wire/errors";
import { authenticatorUri, newRecoveryCodes, newTotpSecret, recoveryHash, totpStepOf } from "./second-factor";

export const INVITATION_HOURS = 72;
export const ADMIN_LINK_MINUTES = 10;
/** Codes that may be tried per link. */
export const TRIES_PER_LINK = 5;
/** Consecutive wrong codes, over all links, after which authenticator codes are refused for a day. */
export const MAX_WRONG_CODES = 10;
export const LOCKOUT_HOURS = 24;

const INVITATION_MINUTES = INVITATION_HOURS * 60;
/** Minutes before another link can be requested on the sign-in page, while one is unused. */
const RESEND_AFTER_MINUTES = 3;
/** Shortest response time in ms, so that the time does not reveal whether the address is known. */
const ANSWER_AFTER_MS = 300;

const targetOf = (id: number) => `administrator/${id}`;

/** Invites an administrator by mail. Throws validation_failed if the address is an administrator's already. */
export async function inviteAdministrator(
  database: Database,
  person: { name: string; email: string; role: AdminRole },
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const id = await insertAdministrator(tx, {
      ...person,
      emailNormalized: normalizeEmail(person.email),
      totpSecretEncrypted: encrypt(newTotpSecret()),
    });
    if (id === null) throw invalidField("body", "email", "is the address of an administrator already");
    await recordAudit(tx, {
      actor,
      action: "people.invite",
      target: targetOf(id),
      details: { name: person.name, role: person.role },
    });
    await mailLink(tx, { id, ...person, acceptedAt: null }, actor);
  });
}

/**
 * Repeats an invitation that was not accepted yet, with a corrected address if necessary. The new link and second
 * factor replace the former ones. Throws not_found, and conflict for an accepted invitation or the address of
 * another administrator.
 */
export async function renewInvitation(
  database: Database,
  id: number,
  email: string,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const person = await lockAdministrator(tx, { id });
    if (!person) throw new AppError("not_found");
    if (person.acceptedAt !== null)
      throw new AppError("conflict", {
        detail: "This person has accepted the invitation and signs in by mail.",
      });
    const emailNormalized = normalizeEmail(email);
    const isCorrected = emailNormalized !== person.emailNormalized;
    const isTaken = !(await updateInvitation(tx, id, {
      email,
      emailNormalized,
      totpSecretEncrypted: encrypt(newTotpSecret()),
    }));
    if (isTaken) throw new AppError("conflict", { detail: "This is the address of another administrator." });
    await recordAudit(tx, {
      actor,
      action: "people.invite_again",
      target: targetOf(id),
      details: { addressCorrected: isCorrected },
    });
    await mailLink(tx, { ...person, email }, actor);
  });
}

/** Replaces the recovery codes of the signed-in person, and returns the new ones. Throws conflict without a person. */
export async function renewRecoveryCodes(database: Database, actor: Actor): Promise<string[]> {
  if (actor.kind !== "administrator")
    throw new AppError("conflict", {
      detail: "Sign in as a person: the administrator secret has no recovery codes.",
    });
  const { administratorId: id } = actor;
  const { codes, hashes } = newRecoveryCodes();
  await database.transaction(async (tx) => {
    await updateAdministrator(tx, id, { recoveryHashes: hashes });
    await recordAudit(tx, { actor, action: "people.new_codes", target: targetOf(id) });
  });
  return codes;
}

/**
 * Gives an administrator a new authenticator, for example after a lost phone: a new invitation goes to the same address,
 * and sessions, links, codes and recovery codes of the former one end. Throws not_found, and conflict while an invitation
 * is open.
 */
export async function resetSecondFactor(database: Database, id: number, actor: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const person = await lockAdministrator(tx, { id });
    if (!person) throw new AppError("not_found");
    if (person.acceptedAt === null)
      throw new AppError("conflict", { detail: "This invitation is still open. Send a new one." });
    await updateAdministrator(tx, id, {
      acceptedAt: null,
      totpSecretEncrypted: encrypt(newTotpSecret()),
      recoveryHashes: [],
      wrongCodes: 0,
      lockedUntil: null,
    });
    await endAdministratorSessions(tx, id);
    await recordAudit(tx, { actor, action: "people.renew_factor", target: targetOf(id) });
    await mailLink(tx, { ...person, acceptedAt: null, isRenewal: true }, actor);
  });
}

/**
 * Locks an administrator whose role or access is changed by another one. Throws not_found, and conflict for oneself and,
 * if the change ends an owner's rights, for the last owner. The owners are locked first, in one order, so that two
 * owners who remove each other do so one after the other.
 */
async function lockOther(
  tx: Transaction,
  id: number,
  actor: Actor,
  staysOwner: boolean,
): Promise<AdministratorRecord> {
  const owners = await lockOwners(tx);
  const person = await lockAdministrator(tx, { id });
  if (!person) throw new AppError("not_found");
  if (actor.kind === "administrator" && actor.administratorId === id)
    throw new AppError("conflict", { detail: "Only another owner can change your role or remove you." });
  if (!staysOwner && owners.length === 1 && owners[0] === id)
    throw new AppError("conflict", {
      detail: `${person.name} is the last owner. Invite another owner first.`,
    });
  return person;
}

/**
 * Changes another administrator's role, from the next request on. Throws not_found, and conflict for oneself, or if no
 * owner would be left.
 */
export async function changeRole(
  database: Database,
  id: number,
  role: AdminRole,
  actor: Actor,
): Promise<"changed" | "unchanged"> {
  return database.transaction(async (tx) => {
    const person = await lockOther(tx, id, actor, role === "owner");
    if (person.role === role) return "unchanged";
    await updateAdministrator(tx, id, { role });
    await recordAudit(tx, {
      actor,
      action: "people.change_role",
      target: targetOf(id),
      details: { before: person.role, after: role },
    });
    return "changed";
  });
}

/**
 * Removes another administrator and ends all sessions at once. Throws not_found, and conflict for oneself and for the
 * last owner.
 */
export async function removeAdministrator(database: Database, id: number, actor: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const person = await lockOther(tx, id, actor, false);
    await updateAdministrator(tx, id, { removedAt: new Date(), linkHash: null, recoveryHashes: [] });
    await endAdministratorSessions(tx, id);
    await recordAudit(tx, {
      actor,
      action: "people.remove",
      target: targetOf(id),
      details: { role: person.role },
    });
  });
}

/**
 * Mails a sign-in link, or an open invitation again, if the address is an administrator's and no link was made for it
 * within the last three minutes. Returns nothing, so that the caller cannot tell whether the address is known.
 */
export async function requestAdminLink(database: Database, email: string): Promise<void> {
  const mailing = database.transaction(async (tx) => {
    const person = await lockAdministrator(tx, { emailNormalized: normalizeEmail(email) });
    if (person && mayBeMailed(person)) await mailLink(tx, person);
  });
  await Promise.all([mailing, pause(ANSWER_AFTER_MS)]);
}

/**
 * Creates a sign-in link for the administrator whose address an identity provider confirmed. It replaces a mailed link
 * and requires a code of the authenticator as well. Returns its token, or null if no administrator has this address.
 */
export async function issueAdminLinkToken(database: Database, email: string): Promise<string | null> {
  return database.transaction(async (tx) => {
    const person = await lockAdministrator(tx, { emailNormalized: normalizeEmail(email) });
    if (!person) return null;
    const token = randomBytes(32).toString("base64url");
    await replaceSignInLink(tx, person.id, { linkHash: sha256(token), minutes: ADMIN_LINK_MINUTES });
    return token;
  });
}

/** Whether a new link may replace the last one: not soon after it, or strangers could keep invalidating links. */
function mayBeMailed({ acceptedAt, linkHash, linkMinutesLeft }: AdministratorRecord): boolean {
  return linkHash === null || linkMinutesLeft < lifetimeOf(acceptedAt) - RESEND_AFTER_MINUTES;
}

/** Lifetime of a new link in minutes. */
const lifetimeOf = (acceptedAt: Date | null) =>
  acceptedAt === null ? INVITATION_MINUTES : ADMIN_LINK_MINUTES;

/**
 * Mails a new link, which replaces the former one: an invitation until it was accepted, afterwards a sign-in link. An
 * invitation names its `sender`.
 */
async function mailLink(
  tx: Transaction,
  person: {
    id: number;
    name: string;
    email: string;
    role: AdminRole;
    acceptedAt: Date | null;
    isRenewal?: boolean;
  },
  sender?: Actor,
): Promise<void> {
  const owner = sender?.kind === "administrator" ? await findAdministrator(tx, sender.administratorId) : null;
  const token = randomBytes(32).toString("base64url");
  const isInvitation = person.acceptedAt === null;
  await replaceSignInLink(tx, person.id, { linkHash: sha256(token), minutes: lifetimeOf(person.acceptedAt) });
  const { id, name, role, email: recipient } = person;
  const order = { subscriptionId: null, recipient, secret: token };
  await (isInvitation
    ? queueMail(tx, {
        ...order,
        kind: "admin-invitation",
        dedupeKey: `admin-invitation/${id}/${sha256(token)}`,
        props: {
          name,
          role,
          expiresHours: INVITATION_HOURS,
          ...(person.isRenewal && { isRenewal: true }),
          ...(owner && { invitedBy: owner.name }),
        },
      })
    : queueMail(tx, {
        ...order,
        kind: "admin-sign-in",
        dedupeKey: `admin-sign-in/${id}/${sha256(token)}`,
        props: { expiresMinutes: ADMIN_LINK_MINUTES },
      }));
}

/** What the page of a mailed link shows; null if the link is not valid. Does not use up the link. */
export async function readAdminLink(database: Database, token: string) {
  const found = await findAdministratorByLink(database, sha256(token), TRIES_PER_LINK);
  if (!found) return null;
  const { name, email, acceptedAt } = found;
  if (acceptedAt !== null) return { name, authenticator: null };
  const secret = decrypt(found.totpSecretEncrypted);
  const { host } = new URL(env().baseUrl);
  return { name, authenticator: { secret, uri: authenticatorUri(secret, { email, host }) } };
}

export type AdminLinkOutcome =
  | { kind: "worthless" }
  | { kind: "wrong_code"; triesLeft: number }
  /** Too many wrong codes: before `until` only a recovery code is accepted. */
  | { kind: "locked"; until: Date; triesLeft: number }
  /** `recoveryCodes` are shown once, after an invitation is accepted. */
  | { kind: "signed_in"; sessionId: string; administratorId: number; recoveryCodes: string[] | null };

/** Throws bad_request if no configured key decrypts the secret, as after a restore without the old keys. */
function authenticatorSecretOf({ totpSecretEncrypted }: { totpSecretEncrypted: string }): string {
  try {
    return decrypt(totpSecretEncrypted);
  } catch (error) {
    log("error", "no configured key decrypts an authenticator's secret", { error: errorFacts(error) });
    throw new AppError("bad_request", {
      detail:
        "This service cannot check authenticator codes, because it has other encryption keys than before. " +
        "Use a recovery code, or start it with the former keys.",
    });
  }
}

/**
 * Signs in by a mailed link and a code of the authenticator, or a recovery code. The right code and the fifth
 * wrong one use up the link; no code works twice. Ten consecutive wrong codes, over all links, lock the
 * authenticator for a day and notify the owners; a recovery code, which cannot be guessed, still signs in and
 * ends the lock. `open` opens the session in the same transaction.
 */
export async function confirmAdminLink(
  database: Database,
  { token, code, now }: { token: string; code: string; now: Date },
  open: (tx: Transaction, administratorId: number) => Promise<string>,
): Promise<AdminLinkOutcome> {
  return database.transaction(async (tx): Promise<AdminLinkOutcome> => {
    const person = await lockAdministrator(tx, { linkHash: sha256(token) });
    if (!person || person.linkMinutesLeft <= 0 || person.linkTries >= TRIES_PER_LINK)
      return { kind: "worthless" };
    const hash = recoveryHash(code);
    const isRecovery = person.recoveryHashes.includes(hash);
    // Not decrypted for a recovery code, which also works without the encryption key, as after a restore without it.
    const step = isRecovery ? null : totpStepOf(authenticatorSecretOf(person), code, now);
    const { lockedUntil } = person;
    const isLocked = lockedUntil !== null && lockedUntil > now;
    const isFresh = !isLocked && step !== null && step > person.totpStep;
    if (!isFresh && !isRecovery) {
      const linkTries = person.linkTries + 1;
      const triesLeft = TRIES_PER_LINK - linkTries;
      await updateAdministrator(tx, person.id, { linkTries });
      if (isLocked) return { kind: "locked", until: lockedUntil, triesLeft };
      const until = await countWrongCode(tx, person, now);
      return until === null ? { kind: "wrong_code", triesLeft } : { kind: "locked", until, triesLeft };
    }
    const isFirst = person.acceptedAt === null;
    const recovery = isFirst ? newRecoveryCodes() : null;
    await updateAdministrator(tx, person.id, {
      linkHash: null,
      wrongCodes: 0,
      lockedUntil: null,
      ...(isFresh ? { totpStep: step } : {}),
      ...(isRecovery ? { recoveryHashes: person.recoveryHashes.filter((left) => left !== hash) } : {}),
      ...(recovery ? { recoveryHashes: recovery.hashes, acceptedAt: now } : {}),
    });
    if (isRecovery)
      await queueMail(tx, {
        kind: "recovery-code-used",
        dedupeKey: `recovery-code-used/${person.id}/${hash}`,
        subscriptionId: null,
        recipient: person.email,
        props: {
          name: person.name,
          at: now.toISOString(),
          codesLeft: person.recoveryHashes.length - 1,
        },
      });
    const sessionId = await open(tx, person.id);
    return {
      kind: "signed_in",
      sessionId,
      administratorId: person.id,
      recoveryCodes: recovery?.codes ?? null,
    };
  });
}

/**
 * Counts a wrong code. The caller's transaction holds the administrator's lock, so that simultaneous guesses are
 * counted one by one. The tenth locks the authenticator, writes an audit row and mails the owners. Returns the
 * end of the lock.
 */
async function countWrongCode(
  tx: Transaction,
  { id, name, wrongCodes }: AdministratorRecord,
  now: Date,
): Promise<Date | null> {
  if (wrongCodes + 1 < MAX_WRONG_CODES) {
    await updateAdministrator(tx, id, { wrongCodes: wrongCodes + 1 });
    return null;
  }
  const until = new Date(now.getTime() + LOCKOUT_HOURS * HOUR_MS);
  await updateAdministrator(tx, id, { wrongCodes: 0, lockedUntil: until });
  await recordAudit(tx, {
    actor: { kind: "worker" },
    action: "people.lock_second_factor",
    target: targetOf(id),
    details: { wrongCodes: MAX_WRONG_CODES, until: until.toISOString() },
  });
  for (const { id: ownerId, email } of await listAdministratorAddresses(tx, "owner")) {
    await queueMail(tx, {
      kind: "second-factor-locked",
      dedupeKey: `second-factor-locked/${id}/${until.getTime()}/${ownerId}`,
      subscriptionId: null,
      recipient: email,
      props: { name, wrongCodes: MAX_WRONG_CODES, until: until.toISOString() },
    });
  }
  return until;
}

/** Notifies the owners of a sign-in with the installation's secret instead of a personal account. */
export async function notifyOwnersOfSecretUse(
  tx: Transaction,
  { sessionId, address, at }: { sessionId: string; address: string; at: Date },
): Promise<void> {
  for (const { id, email } of await listAdministratorAddresses(tx, "owner")) {
    await queueMail(tx, {
      kind: "admin-secret-used",
      dedupeKey: `admin-secret-used/${sessionId}/${id}`,
      subscriptionId: null,
      recipient: email,
      props: { at: at.toISOString(), address },
    });
  }
}
