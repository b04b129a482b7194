/** What can be told of the image, the manifests and the chart without running containers. */

import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../src/compose/settings.ts';

/** Knip's own: not a dependency of ours. */
const { parse, parseAllDocuments } = createRequire(resolve('node_modules/knip/package.json'))('yaml') as {
  parse(text: string): unknown;
  parseAllDocuments(text: string): { readonly errors: unknown[]; toJS(): unknown }[];
};

interface Manifest {
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const VARIABLES: ReadonlySet<string> = new Set(Object.values(SETTINGS).map(({ variable }) => variable));

interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** Instructions of a Dockerfile in their order: comments gone, continued lines joined. */
function instructionsOf(text: string): Instruction[] {
  const lines = text.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  return lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', value = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
      return { name, value };
    });
}

const dockerfile = instructionsOf(readFileSync('Dockerfile', 'utf8'));
const finalStage = dockerfile.slice(dockerfile.findLastIndex(({ name }) => name === 'FROM'));
const valuesOf = (name: string, among: readonly Instruction[] = finalStage): string[] =>
  among.filter((each) => each.name === name).map(({ value }) => value);

function unknownVariables(text: string): string[] {
  return (text.match(/\bLAMINA_[A-Z0-9_]+/g) ?? []).filter((name) => !VARIABLES.has(name));
}

describe('the image', () => {
  it('is made of known instructions, from images of a version', () => {
    expect(dockerfile.every(({ name }) => name !== '')).toBe(true);
    const bases = valuesOf('FROM', dockerfile);
    expect(bases).toHaveLength(3);
    for (const base of bases) expect(base).toMatch(/^node:24-[a-z]+-slim( AS [a-z]+)?$/);
    expect(valuesOf('LABEL')[0]).toContain(`org.opencontainers.image.version="${manifest.version}"`);
  });

  it('runs as somebody who is not root, with a volume, a health check and no shell', () => {
    expect(valuesOf('USER')).toEqual(['1000:1000']);
    expect(valuesOf('VOLUME')).toEqual(['/data']);
    expect(valuesOf('HEALTHCHECK')[0]).toMatch(/^--interval=.*CMD \["node", "-e", ".*\/ready.*"\]$/);
    for (const command of [...valuesOf('ENTRYPOINT'), ...valuesOf('CMD')])
      expect(JSON.parse(command)).toBeInstanceOf(Array);
    const last = finalStage.findLastIndex(({ name }) => name === 'RUN');
    expect(last).toBeLessThan(finalStage.findIndex(({ name }) => name === 'USER'));
  });

  it('asks for authentication by default', () => {
    const [environment = ''] = valuesOf('ENV');
    expect(environment).toContain('LAMINA_HOST=0.0.0.0');
    expect(environment).toContain('LAMINA_AUTH=jwt');
    expect(environment).not.toContain('SECRET');
  });

  it('copies what there is, and what is not ignored', () => {
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
    const kept = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(ignored).toContain('*');
    const sources = valuesOf('COPY', dockerfile)
      .filter((value) => !value.startsWith('--from'))
      .flatMap((value) => value.split(/\s+/).slice(0, -1));
    expect(sources.length).toBeGreaterThan(8);
    for (const source of sources) {
      expect(globSync(source), source).toHaveLength(1);
      expect(kept, source).toContain(source);
    }
    for (const each of kept) expect(sources, `${each} is kept for nothing`).toContain(each);
  });

  it('has no development dependencies, and drivers in the versions that are tested', () => {
    const runs = valuesOf('RUN', dockerfile);
    const stage = valuesOf('COPY').find((value) => value.includes('/app/node_modules')) ?? '';
    expect(stage).toContain('--from=dependencies');
    expect(runs.some((run) => run.startsWith('npm ci --omit=dev'))).toBe(true);
    const drivers = runs.find((run) => run.startsWith('npm install')) ?? '';
    const pinned = [...drivers.matchAll(/ (@?[\w./-]+)@(\d[\w.]*)/g)].map(([, name = '', version]) => ({
      name,
      version,
    }));
    expect(pinned.map(({ name }) => name)).toContain('pg');
    for (const { name, version } of pinned) expect(manifest.devDependencies[name], name).toBe(version);
  });
});

describe('compose.yaml', () => {
  it('parses, and pins its images', () => {
    const text = readFileSync('compose.yaml', 'utf8');
    const { services } = parse(text) as { services: Record<string, { image: string; read_only?: boolean }> };
    for (const { image } of Object.values(services)) expect(image).toMatch(/:\d/);
    expect(services['lamina']).toMatchObject({ image: `lamina:${manifest.version}`, read_only: true });
    expect(unknownVariables(text)).toEqual([]);
  });
});

interface Resource {
  readonly kind: string;
  readonly spec?: { readonly replicas?: number; readonly template: { readonly spec: Record<string, unknown> } };
}

function resourcesOf(engine: string): Resource[] {
  const documents = parseAllDocuments(readFileSync(`deploy/kubernetes/${engine}.yaml`, 'utf8'));
  for (const { errors } of documents) expect(errors).toEqual([]);
  return documents.map((document) => document.toJS() as Resource);
}

describe.each([
  { engine: 'sqlite', kinds: ['ServiceAccount', 'Service', 'StatefulSet'], replicas: 1 },
  { engine: 'postgres', kinds: ['ServiceAccount', 'Service', 'Deployment', 'PodDisruptionBudget'], replicas: 2 },
])('the manifest for $engine', ({ engine, kinds, replicas }) => {
  const text = readFileSync(`deploy/kubernetes/${engine}.yaml`, 'utf8');

  it('has its resources, and names settings that exist', () => {
    const resources = resourcesOf(engine);
    expect(resources.map(({ kind }) => kind)).toEqual(kinds);
    expect(resources[2]?.spec?.replicas).toBe(replicas);
    expect(unknownVariables(text)).toEqual([]);
    expect(text).toContain(`image: lamina:${manifest.version}`);
  });

  it('gives the pod no more than it needs, and probes it', () => {
    const pod = resourcesOf(engine)[2]?.spec?.template.spec;
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          livenessProbe: { httpGet: { path: '/live', port: 'http' } },
          readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
          resources: { requests: {}, limits: {} },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    });
  });

  it('takes secrets by reference only', () => {
    const secret = Object.values(SETTINGS).filter((setting) => setting.secret);
    for (const { variable } of secret) expect(text).not.toMatch(new RegExp(`name: ${variable}\\n\\s+value:`));
    expect(text).toMatch(/name: LAMINA_JWT_SECRET\n\s+valueFrom:/);
  });

  it('says what the chart says of the pod', () => {
    const chart = readFileSync('deploy/helm/lamina/templates/_helpers.tpl', 'utf8');
    const said = new Set(text.split('\n').map((line) => line.trim()));
    const [, pod = ''] = chart.split('define "lamina.pod"');
    const plain = pod
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !/{{|}}$/.test(line) && !line.startsWith('#'))
      .filter((line) => !/^(annotations|imagePullSecrets|nodeSelector|tolerations|affinity):$/.test(line))
      .filter((line) => engine === 'sqlite' || !line.endsWith('data'));
    expect(plain.length).toBeGreaterThan(30);
    expect(plain.filter((line) => !said.has(line))).toEqual([]);
  });
});

describe('the chart', () => {
  const templates = globSync('deploy/helm/lamina/templates/*');
  const all = templates.map((path) => readFileSync(path, 'utf8')).join('\n');

  it('has the version of the package', () => {
    const chart = parse(readFileSync('deploy/helm/lamina/Chart.yaml', 'utf8'));
    expect(chart).toMatchObject({ name: 'lamina', version: manifest.version, appVersion: manifest.version });
  });

  it('uses values that exist, names settings that exist, and closes what it opens', () => {
    const values = parse(readFileSync('deploy/helm/lamina/values.yaml', 'utf8')) as Record<string, unknown>;
    const used = [...all.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path = '']) => path.slice(1).split('.'));
    expect(used.length).toBeGreaterThan(20);
    for (const path of used) expect(values, path.join('.')).toHaveProperty(path);
    expect(unknownVariables(all)).toEqual([]);
    const opened = all.match(/\{\{-? *(if|with|range|define)\b/g) ?? [];
    expect(all.match(/\{\{-? *end *-?\}\}/g)).toHaveLength(opened.length);
    const defined = [...all.matchAll(/define "([\w.]+)"/g)].map(([, name]) => name);
    for (const [, name] of all.matchAll(/include "([\w.]+)"/g)) expect(defined).toContain(name);
  });
});
