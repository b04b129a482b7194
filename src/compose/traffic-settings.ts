/** The settings for limits, trusted proxies and connections of the service. */

import { isIP } from 'node:net';
import { z } from 'zod';
import { DEFAULT_BODY_LIMIT } from '../server/dependencies.ts';
import { DEFAULT_RATES, DEFAULT_SERVICE_LIMITS, type ServiceLimits } from '../server/service-limits.ts';
import type { TlsFiles } from '../server/tls-files.ts';
import { numberFromText, setting, type Setting } from './setting.ts';

const MAX_RATE = 100_000_000;
const MAX_MS = 3_600_000;
const MAX_BYTES = 1024 ** 4;
const MAX_BODY = 1024 ** 3;
const MIN_BODY = 1024;

type Whole = Setting<z.ZodDefault<z.ZodInt>>;

function whole(
  variable: Setting['variable'],
  key: keyof ServiceLimits,
  [min, max]: readonly [number, number],
  description: string,
): Whole {
  return setting({
    variable,
    schema: z.int().min(min).max(max).default(DEFAULT_SERVICE_LIMITS[key]),
    accepts: `a whole number from ${min} to ${max}${min === 0 ? ' (0: no limit)' : ''}`,
    description,
    fromText: numberFromText,
  });
}

function rate(
  variable: Setting['variable'],
  key: keyof typeof DEFAULT_RATES,
  description: string,
): Setting<z.ZodOptional<z.ZodInt>> {
  return setting({
    variable,
    schema: z.int().min(0).max(MAX_RATE).optional(),
    accepts: `a whole number from 0 to ${MAX_RATE} (0: no limit)`,
    description: `${description} Default: ${DEFAULT_RATES[key]} with authentication, else 0.`,
    fromText: numberFromText,
  });
}

function file(
  variable: Setting['variable'],
  accepts: string,
  description: string,
): Setting<z.ZodOptional<z.ZodString>> {
  return setting({ variable, schema: z.string().min(1).max(4096).optional(), accepts, place: 'FILE', description });
}

const PROXIES = 'addresses or networks such as 10.0.0.0/8, with commas between them';

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

const networksOf = (text: string): string[] => text.split(',').map((each) => each.trim());

export const TRAFFIC_SETTINGS = {
  'tls.cert': file(
    'LAMINA_TLS_CERT',
    'the path of a PEM file',
    'The certificate of the service, and those between it and the root: with it, and LAMINA_TLS_KEY, the service speaks HTTPS only. ' +
      'It is read again when it changes, and on SIGHUP.',
  ),
  'tls.key': file('LAMINA_TLS_KEY', 'the path of a PEM file', 'The private key of that certificate.'),
  'tls.passphrase': setting({
    variable: 'LAMINA_TLS_KEY_PASSPHRASE',
    schema: z.string().min(1).max(1024).optional(),
    accepts: 'a text of up to 1024 characters',
    description: 'The passphrase of that key, where it has one. From the environment only.',
    sources: ['environment'],
    secret: true,
  }),
  'tls.clientCa': file(
    'LAMINA_TLS_CLIENT_CA',
    'the path of a PEM file',
    'Who has to have signed the certificates of clients, which then all need one, besides their credentials. Default: they need none.',
  ),
  'traffic.trustedProxies': setting({
    variable: 'LAMINA_TRUST_PROXY',
    schema: z
      .string()
      .refine((text) => networksOf(text).every(isNetwork), { message: `it accepts ${PROXIES}` })
      .optional(),
    accepts: PROXIES,
    description:
      'Proxies that are believed when they say, in X-Forwarded-For, for whom they ask. Default: nobody is, and everybody behind a proxy ' +
      'counts as one address.',
  }),
  'traffic.principalRate': rate('LAMINA_RATE_LIMIT', 'principalRate', 'Requests per minute of one principal.'),
  'traffic.addressRate': rate(
    'LAMINA_RATE_LIMIT_ADDRESS',
    'addressRate',
    'Requests per minute from one address, before its credentials are looked at.',
  ),
  'traffic.failureRate': rate(
    'LAMINA_RATE_LIMIT_FAILURES',
    'failureRate',
    'Wrong credentials per minute from one address.',
  ),
  'traffic.bodyBytes': setting({
    variable: 'LAMINA_BODY_LIMIT',
    schema: z.int().min(MIN_BODY).max(MAX_BODY).default(DEFAULT_BODY_LIMIT),
    accepts: `a whole number from ${MIN_BODY} to ${MAX_BODY}`,
    description: 'Bytes in the body of a request.',
    fromText: numberFromText,
  }),
  'traffic.receiveMs': whole(
    'LAMINA_RECEIVE_TIMEOUT_MS',
    'receiveMs',
    [1000, MAX_MS],
    'Milliseconds in which a request has to arrive whole; its headers have a quarter of it, and 15 seconds at most.',
  ),
  'traffic.answerMs': whole(
    'LAMINA_REQUEST_TIMEOUT_MS',
    'answerMs',
    [0, MAX_MS],
    'Milliseconds after which an operation that goes on is answered with UNAVAILABLE.',
  ),
  'traffic.connections': whole('LAMINA_MAX_CONNECTIONS', 'connections', [0, 1_000_000], 'Connections at once.'),
  'traffic.inFlight': whole('LAMINA_MAX_REQUESTS', 'inFlight', [1, 1_000_000], 'Requests under way at once.'),
  'traffic.tenantInFlight': whole(
    'LAMINA_MAX_REQUESTS_PER_TENANT',
    'tenantInFlight',
    [1, 1_000_000],
    'Requests under way at once of one tenant.',
  ),
  'traffic.sharedInFlight': whole(
    'LAMINA_MAX_REQUESTS_SHARED',
    'sharedInFlight',
    [1, 1_000_000],
    'The same while another tenant asks as well. More of them where embeddings or the database are elsewhere and answer many at once.',
  ),
  'traffic.queueMs': whole(
    'LAMINA_QUEUE_TIMEOUT_MS',
    'queueMs',
    [1, MAX_MS],
    'Milliseconds that a request waits until it may begin, before it is answered with UNAVAILABLE.',
  ),
  'traffic.streams': whole('LAMINA_MAX_STREAMS', 'streams', [1, 1_000_000], 'Streams of one principal at once.'),
  'traffic.loopDelayMs': whole(
    'LAMINA_MAX_LOOP_DELAY_MS',
    'loopDelayMs',
    [0, MAX_MS],
    'Milliseconds by which the event loop may be late, for three seconds, before requests are turned away with UNAVAILABLE.',
  ),
  'traffic.heapBytes': whole(
    'LAMINA_MAX_HEAP_BYTES',
    'heapBytes',
    [0, MAX_BYTES],
    'Bytes of the JavaScript heap, from which on the same happens.',
  ),
  'traffic.rssBytes': whole(
    'LAMINA_MAX_RSS_BYTES',
    'rssBytes',
    [0, MAX_BYTES],
    'Bytes of memory of the process, from which on the same happens.',
  ),
} as const;

export type TrafficSettingKey = keyof typeof TRAFFIC_SETTINGS;

type Values = { readonly [Key in TrafficSettingKey]: z.output<(typeof TRAFFIC_SETTINGS)[Key]['schema']> };

export interface TrafficConfiguration {
  readonly tls: TlsFiles | undefined;
  readonly traffic: {
    readonly limits: ServiceLimits;
    readonly bodyLimit: number;
    readonly trustedProxies: readonly string[] | undefined;
  };
}

/** Of values that were checked. */
export function trafficConfiguration(values: Values & { readonly auth: 'none' | 'jwt' }): TrafficConfiguration {
  const rates = values.auth === 'none' ? DEFAULT_SERVICE_LIMITS : DEFAULT_RATES;
  const [cert, key, proxies] = [values['tls.cert'], values['tls.key'], values['traffic.trustedProxies']];
  const hasTls = cert !== undefined && key !== undefined;
  return {
    tls: hasTls ? { cert, key, passphrase: values['tls.passphrase'], clientCa: values['tls.clientCa'] } : undefined,
    traffic: {
      limits: {
        principalRate: values['traffic.principalRate'] ?? rates.principalRate,
        addressRate: values['traffic.addressRate'] ?? rates.addressRate,
        failureRate: values['traffic.failureRate'] ?? rates.failureRate,
        receiveMs: values['traffic.receiveMs'],
        answerMs: values['traffic.answerMs'],
        connections: values['traffic.connections'],
        inFlight: values['traffic.inFlight'],
        tenantInFlight: values['traffic.tenantInFlight'],
        sharedInFlight: values['traffic.sharedInFlight'],
        queueMs: values['traffic.queueMs'],
        streams: values['traffic.streams'],
        loopDelayMs: values['traffic.loopDelayMs'],
        heapBytes: values['traffic.heapBytes'],
        rssBytes: values['traffic.rssBytes'],
      },
      bodyLimit: values['traffic.bodyBytes'],
      trustedProxies: proxies === undefined ? undefined : networksOf(proxies),
    },
  };
}

/** What does not go together: a half of TLS, or a part of it without the rest. */
export function checkTls(
  values: Values,
  isBroken: (key: TrafficSettingKey) => boolean,
  refuse: (key: TrafficSettingKey, problem: string) => void,
): void {
  if (isBroken('tls.cert') || isBroken('tls.key')) return;
  const [cert, key] = [values['tls.cert'], values['tls.key']];
  if (cert !== undefined && key === undefined)
    refuse('tls.cert', 'is set, but LAMINA_TLS_KEY is not; set both, or neither');
  if (cert === undefined && key !== undefined)
    refuse('tls.key', 'is set, but LAMINA_TLS_CERT is not; set both, or neither');
  if (cert !== undefined || key !== undefined) return;
  const unused = (['tls.passphrase', 'tls.clientCa'] as const).filter((each) => values[each] !== undefined);
  for (const each of unused) refuse(each, 'is set, but LAMINA_TLS_CERT and LAMINA_TLS_KEY are not');
}
