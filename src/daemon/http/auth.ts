// Checks of every request to the API: Host, token, size of the body. Only digests of tokens are configured.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Clock } from '../../model/ports/clock.ts'
import type { Seconds } from '../../model/units.ts'
import { refuse } from './answers.ts'

export type AuthPolicy = Readonly<{
  /** Besides those of loopback. */
  names: readonly string[]
  tokens: readonly ApiToken[]
  /** Reading needs no token. */
  open: boolean
}>

type AuthOptions = Readonly<{
  policy: () => AuthPolicy
  attempts: FailedLogins
  addressOf: (context: Context) => string
}>

/** Largest body of a request, bytes. */
const MAX_BODY = 65_536

export const authMiddleware = (options: AuthOptions): readonly MiddlewareHandler[] => [
  checkHost(options),
  checkToken(options),
  bodyLimit({
    maxSize: MAX_BODY,
    onError: (context) => refuse(context, 413, 'the body is too large'),
  }),
]

/** A page on another site may resolve its own name to this address, but cannot choose the Host header. */
const checkHost =
  ({ policy }: AuthOptions): MiddlewareHandler =>
  async (context, next) => {
    const name = (context.req.header('host') ?? '').replace(/:\d+$/, '').toLowerCase()
    if (!isLoopbackName(name) && !policy().names.includes(name))
      return refuse(context, 403, 'unknown Host: server.names lists those that are known')
    await next()
    if (!context.res.headers.has('cache-control')) context.header('cache-control', 'no-store')
    context.header('x-content-type-options', 'nosniff')
    return undefined
  }

const isLoopbackName = (name: string) => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name)

const checkToken =
  (options: AuthOptions): MiddlewareHandler =>
  async (context, next) => {
    const refusal = refusalOf(context, options)
    if (!refusal) return next()
    const { status, because, wait } = refusal
    if (status === 401) context.header('www-authenticate', 'Bearer')
    if (wait !== undefined) context.header('retry-after', String(wait))
    return refuse(context, status, because)
  }

type Refusal = Readonly<{ status: 401 | 403 | 429; because: string; wait?: number }>

const TOKEN_NEEDED: Refusal = { status: 401, because: 'a token is needed' }
const WRONG_TOKEN: Refusal = { status: 401, because: 'the token is wrong' }
const READ_TOKEN: Refusal = { status: 403, because: 'the token has no scope operate' }
const NO_OPERATE_TOKEN: Refusal = {
  status: 403,
  because: 'server.tokens has none of scope operate: nothing can be changed here',
}

function refusalOf(context: Context, { policy, attempts, addressOf }: AuthOptions): Refusal | undefined {
  const { tokens, open } = policy()
  const isRead = context.req.method === 'GET' || context.req.method === 'HEAD'
  const text = bearerOf(context.req.header('authorization'))
  if (text === undefined && isRead) return open ? undefined : TOKEN_NEEDED
  if (text === undefined) return refusalOfChange(tokens, undefined)
  const address = addressOf(context)
  const wait = attempts.wait(address)
  if (wait > 0) return { status: 429, because: 'too many wrong tokens', wait }
  const token = findToken(tokens, text)
  if (!token) {
    attempts.failed(address)
    return WRONG_TOKEN
  }
  return isRead ? undefined : refusalOfChange(tokens, token)
}

function refusalOfChange(tokens: readonly ApiToken[], token: ApiToken | undefined): Refusal | undefined {
  if (token?.scope === 'operate') return undefined
  if (!tokens.some(({ scope }) => scope === 'operate')) return NO_OPERATE_TOKEN
  return token ? READ_TOKEN : TOKEN_NEEDED
}

/** Undefined where no token is sent. */
const bearerOf = (header: string | undefined) =>
  header === undefined ? undefined : (/^bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '')

type ApiToken = Readonly<{ name: string; scope: 'read' | 'operate'; digest: Buffer }>

export const parseTokens = (
  configured: Readonly<Record<string, Readonly<{ sha256: string; scope: ApiToken['scope'] }>>>,
): readonly ApiToken[] =>
  Object.entries(configured).map(([name, { sha256, scope }]) => ({
    name,
    scope,
    digest: Buffer.from(sha256, 'hex'),
  }))

/** Takes the same time for every text, right or wrong. */
function findToken(tokens: readonly ApiToken[], text: string): ApiToken | undefined {
  const digest = createHash('sha256').update(text).digest()
  return tokens.filter((token) => timingSafeEqual(token.digest, digest))[0]
}

/** Wrong tokens in the window after which an address waits. */
const MAX_FAILURES = 5
/** Seconds. */
const FAILURE_WINDOW = 60
/** Bounds the memory that many guessing clients cost. */
const MAX_ADDRESSES = 10_000

type FailedLogins = ReturnType<typeof createFailedLogins>

export function createFailedLogins(clock: Clock) {
  const failures = new Map<string, readonly Seconds[]>()
  const recentFailures = (address: string) =>
    (failures.get(address) ?? []).filter((at) => clock.monotonic() - at < FAILURE_WINDOW)
  return {
    /** Seconds until `address` may try again; 0 when it may. */
    wait: (address: string) => {
      const [first, ...others] = recentFailures(address)
      if (first === undefined || others.length < MAX_FAILURES - 1) return 0
      return Math.ceil(first + FAILURE_WINDOW - clock.monotonic())
    },
    failed: (address: string) => {
      const recent = [...recentFailures(address), clock.monotonic()].slice(-MAX_FAILURES)
      // a map is ordered by insertion, and the oldest address is dropped
      failures.delete(address)
      failures.set(address, recent)
      const [oldest] = failures.keys()
      if (failures.size > MAX_ADDRESSES && oldest !== undefined) failures.delete(oldest)
    },
  }
}
