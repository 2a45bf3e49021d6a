import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProctorError } from '../../platform/base/errors.ts';
import type { WebParts } from '../web-parts.ts';
import { findLogin, removeLogin, saveLogin, type Viewer } from './login-store.ts';

/** How long a login lasts. */
const LOGIN_SECONDS = 12 * 3_600;
/** How long a login form may be open. */
const FORM_SECONDS = 3_600;

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer | null;
    /** What every form that is shown to this visitor sends back; empty before there is any. */
    csrf: string;
  }
}

type Parts = Pick<WebParts, 'database' | 'publicUrl'>;

/** Begins a login and gives its cookie: 256 random bits, of which the database has a digest only. */
export async function beginLogin(parts: Parts, reply: FastifyReply, viewer: Viewer): Promise<void> {
  const token = newToken();
  await saveLogin(parts.database, { digest: digestOfToken(token), viewer, seconds: LOGIN_SECONDS });
  reply.setCookie(cookieName(parts, 'login'), token, { ...cookieOptions(parts), maxAge: LOGIN_SECONDS });
  reply.clearCookie(cookieName(parts, 'form'), cookieOptions(parts));
}

/** Logs out. */
export async function endLogin(parts: Parts, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const token = tokenOf(parts, request, 'login');
  if (token !== null) await removeLogin(parts.database, digestOfToken(token));
  reply.clearCookie(cookieName(parts, 'login'), cookieOptions(parts));
}

/** Finds out who asks. Somebody who is not logged in gets a token of their own for the login form. */
export async function recogniseViewer(parts: Parts, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const token = tokenOf(parts, request, 'login');
  request.viewer = token === null ? null : await findLogin(parts.database, digestOfToken(token));
  if (token !== null && request.viewer !== null) {
    request.csrf = csrfOf(token);
    return;
  }
  const known = tokenOf(parts, request, 'form');
  const form = known ?? newToken();
  request.csrf = csrfOf(form);
  if (known === null && request.method === 'GET') {
    reply.setCookie(cookieName(parts, 'form'), form, { ...cookieOptions(parts), maxAge: FORM_SECONDS });
  }
}

/** Refuses what another page made the browser send. `forbidden`. */
export function checkForm(request: FastifyRequest): void {
  const from = request.headers['sec-fetch-site'];
  const isOwn = from === undefined || from === 'same-origin' || from === 'none';
  const sent = Buffer.from(String((request.body as { csrf?: unknown } | undefined)?.csrf ?? ''));
  const right = Buffer.from(request.csrf);
  if (isOwn && sent.length === right.length && timingSafeEqual(sent, right)) return;
  throw new ProctorError('forbidden', 'this form is from another page or too old; go back, reload, and send it again');
}

/** Cookies are for this host and for requests that its own pages make. */
export function cookieOptions({ publicUrl }: Pick<WebParts, 'publicUrl'>) {
  return { httpOnly: true, sameSite: 'strict', path: '/', secure: isSecure(publicUrl) } as const;
}

/** With https the name itself makes browsers refuse a cookie that another host or plain HTTP has set. */
export function cookieName({ publicUrl }: Pick<WebParts, 'publicUrl'>, kind: 'login' | 'form' | 'oidc'): string {
  return `${isSecure(publicUrl) ? '__Host-' : ''}proctor_${kind}`;
}

/** 256 random bits, as text. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

function isSecure(publicUrl: string | null): boolean {
  return publicUrl?.startsWith('https://') ?? false;
}

function tokenOf(parts: Parts, request: FastifyRequest, kind: 'login' | 'form'): string | null {
  const token = request.cookies[cookieName(parts, kind)];
  return token !== undefined && /^[A-Za-z0-9_-]{43}$/.test(token) ? token : null;
}

function digestOfToken(token: string): string {
  return createHash('sha256').update(`proctor/web-login/1\0${token}`).digest('hex');
}

function csrfOf(token: string): string {
  return createHash('sha256').update(`proctor/web-form/1\0${token}`).digest('base64url');
}
