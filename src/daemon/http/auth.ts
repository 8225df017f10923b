// Checks of every request: Host, origin, token, size of the body. Only digests of tokens are configured.
import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'
import type { Context, HonoRequest, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { TokensConfig, TokenScope } from '../../config/sections/server.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Seconds } from '../../model/units.ts'
import { refuse } from './answers.ts'

/** Policy of one listener. */
export type AuthPolicy = Readonly<{
  /** Besides those of loopback. */
  names: readonly string[]
  /** Whether any IP address may be the Host: Prometheus and the kubelet name the address they found. */
  allowsAddresses: boolean
  /** Only those whose scope the listener takes. */
  tokens: readonly ApiToken[]
  /** Reading needs no token. */
  open: boolean
}>

type AuthOptions = Readonly<{
  policy: () => AuthPolicy
  attempts: FailedLogins
  addressOf: (context: Context) => string
}>

/** Bytes; a body of as many is refused. */
const TOO_LARGE = 65_536

export const authMiddleware = (options: AuthOptions): readonly MiddlewareHandler[] => [
  checkOrigin(options),
  checkToken(options),
  bodyLimit({
    maxSize: TOO_LARGE - 1,
    onError: (context) => refuse(context, 413, 'the body is too large'),
  }),
]

export const checkOrigin =
  ({ policy }: Pick<AuthOptions, 'policy'>): MiddlewareHandler =>
  async (context, next) => {
    const problem = originProblem(context.req, policy())
    if (problem) return refuse(context, problem.status, problem.because)
    await next()
    if (!context.res.headers.has('cache-control')) context.header('cache-control', 'no-store')
    context.header('x-content-type-options', 'nosniff')
    return undefined
  }

/**
 * The first of these that holds:
 * 1. the target is no address, or has a name and a password in it;
 * 2. the Host is unknown: a page on another site may resolve its own name to this address, but cannot choose the Host header;
 * 3. the browser says that a page on another site asks.
 */
function originProblem(request: HonoRequest, policy: AuthPolicy): Refusal | undefined {
  const target = URL.parse(request.url)
  if (!target || target.username !== '' || target.password !== '')
    return { status: 400, because: 'the target of the request is no address of this server' }
  const name = (request.header('host') ?? '').replace(/:\d+$/, '').toLowerCase()
  if (!isKnownName(name, policy))
    return { status: 403, because: 'unknown Host: server.names lists those that are known' }
  if (request.header('sec-fetch-site') === 'cross-site')
    return { status: 403, because: 'a page of another site may not ask: type the address, or bookmark it' }
  return undefined
}

function isKnownName(name: string, { names, allowsAddresses }: AuthPolicy) {
  if (names.includes(name) || name === 'localhost' || name === '[::1]') return true
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
  return isAddress && (allowsAddresses || (isIPv4(name) && name.startsWith('127.')))
}

export const checkToken =
  (options: AuthOptions): MiddlewareHandler =>
  async (context, next) => {
    const refusal = refusalOf(context, options)
    if (!refusal) return next()
    const { status, because, wait } = refusal
    if (status === 401) context.header('www-authenticate', 'Bearer')
    if (wait !== undefined) context.header('retry-after', String(wait))
    return refuse(context, status, because)
  }

type Refusal = Readonly<{ status: 400 | 401 | 403 | 429; because: string; wait?: number }>

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
  const token = findToken(tokens, text)
  if (!token) return refusalOfWrong(addressOf(context), attempts)
  context.set(TOKEN_NAME, token.name)
  return isRead ? undefined : refusalOfChange(tokens, token)
}

/** Right tokens never wait: whoever shares the address of a guesser is not locked out. */
function refusalOfWrong(address: string, attempts: FailedLogins): Refusal {
  const wait = attempts.wait(address)
  if (wait > 0) return { status: 429, because: 'too many wrong tokens', wait }
  attempts.failed(address)
  return WRONG_TOKEN
}

function refusalOfChange(tokens: readonly ApiToken[], token: ApiToken | undefined): Refusal | undefined {
  if (token?.scope === 'operate') return undefined
  if (!tokens.some(({ scope }) => scope === 'operate')) return NO_OPERATE_TOKEN
  return token ? READ_TOKEN : TOKEN_NEEDED
}

/** Undefined where the request has no such header, empty where the header has no bearer token. */
const bearerOf = (header: string | undefined) =>
  header === undefined ? undefined : (/^bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '')

type ApiToken = Readonly<{ name: string; scope: TokenScope; digest: Buffer }>

export const parseTokens = (configured: TokensConfig): readonly ApiToken[] =>
  Object.entries(configured).map(([name, { sha256, scope }]) => ({
    name,
    scope,
    digest: Buffer.from(sha256, 'hex'),
  }))

/** Name of the token of a request that may change something. */
export const tokenNameOf = (context: Context): string => String(context.get(TOKEN_NAME) ?? '')
const TOKEN_NAME = 'token-name'

/** Takes the same time for every text, right or wrong; an empty one is no token, whatever digests are configured. */
function findToken(tokens: readonly ApiToken[], text: string): ApiToken | undefined {
  if (text === '') return undefined
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
