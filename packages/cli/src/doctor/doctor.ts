import { existsSync } from 'node:fs';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import type { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { ExitCode } from '@fairway/service/exit-code';
import { systemReaderToken } from '@fairway/service/fairway/keystone';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { Home } from '@fairway/service/up/home';
import { dump } from 'js-yaml';
import { homePath } from '../client/choose-kubeconfig.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { explainError } from '../command/explain-error.ts';
import { requireCloud } from '../up/cloud-options.ts';
import { type Capability, capabilitiesOf } from './cloud-capabilities.ts';
import { type CloudObservation, observeCloud } from './cloud-observation.ts';
import { renderCloudReport } from './cloud-report.ts';
import { configurationFindings } from './configuration.ts';
import { apiFindings, localFindings } from './fairway-checks.ts';
import { type Finding, ok, problem, renderFindings, warning } from './finding.ts';
import { planReport, renderPlanReport } from './plans/plan-report.ts';
import { readPlans } from './plans/read-plans.ts';
import { wantedExtensions } from './wanted-extensions.ts';

interface DoctorOptions {
  readonly cloud?: string;
  readonly home?: string;
  readonly output?: 'json' | 'yaml';
}

/** Entry in the clouds.yaml that Fairway writes for a simulated cloud. */
const SIMULATED_CLOUD = 'simulator';

/** Checks Fairway or one cloud, and prints problems with advice. */
export async function runDoctor(context: CliContext, globals: GlobalOptions, options: DoctorOptions): Promise<void> {
  const home = new Home(homePath(options.home, context.env, context.cwd));
  if (options.cloud !== undefined) {
    const clouds = cloudsYamlWith(options.cloud, home);
    requireCloud(clouds, options.cloud);
    const [cloud, read] = await Promise.all([inspectCloud(clouds, options.cloud), readPlans(context, globals)]);
    const capabilities = capabilitiesOf(cloud);
    const plans = planReport(cloud, read, context.clock.now());
    print(
      context,
      options,
      { capabilities, plans, wantedExtensions: wantedExtensions(cloud), ...cloud },
      () => `${renderCloudReport(cloud, capabilities)}\n${renderPlanReport(plans)}`,
    );
    if (capabilities.some(({ capability, offered }) => capability === 'nodes' && offered === 'no')) {
      context.exitWith(ExitCode.Failed);
    }
    return;
  }
  const findings = [
    ...localFindings(home),
    ...(await configurationFindings(context)),
    ...(await apiFindings(context, globals)),
    ...(existsSync(home.cloudsYaml) ? [await ownCloudFinding(home)] : []),
  ];
  print(context, options, { findings }, () => renderFindings(findings));
  if (findings.some(({ status }) => status === 'error')) context.exitWith(ExitCode.Failed);
}

/** clouds.yaml from the standard locations, or Fairway's own if it lacks the cloud. */
function cloudsYamlWith(name: string, home: Home): CloudsYaml {
  const yaml = readCloudsYaml();
  return !yaml.names.includes(name) && existsSync(home.cloudsYaml) ? readCloudsYaml(home.cloudsYaml) : yaml;
}

async function inspectCloud(yaml: CloudsYaml, name: string): Promise<CloudObservation> {
  const cloud = openCloud(yaml, name, { clock: systemClock, random: Math.random, log: silentLogger });
  try {
    const { region } = cloud.config;
    return await observeCloud(cloud.client(), { name, region, projectReaders: systemReaderToken(cloud) });
  } finally {
    await cloud.close();
  }
}

async function ownCloudFinding(home: Home): Promise<Finding> {
  const check = `cloud ${SIMULATED_CLOUD}`;
  try {
    const cloud = await inspectCloud(readCloudsYaml(home.cloudsYaml), SIMULATED_CLOUD);
    const nodes = capabilitiesOf(cloud).find(({ capability }) => capability === 'nodes');
    return nodes === undefined ? ok(check, 'answers') : capabilityFinding(check, nodes);
  } catch (error) {
    return problem(check, explainError(error).message, 'this check runs inside "fairway up": start it');
  }
}

function capabilityFinding(check: string, { offered, detail, missing }: Capability): Finding {
  const advice = `fairway doctor --cloud ${SIMULATED_CLOUD}`;
  if (offered === 'yes') return ok(check, `nodes can be created: ${detail}`);
  return offered === 'no' ? problem(check, missing.join('; '), advice) : warning(check, missing.join('; '), advice);
}

function print({ stdout }: CliContext, { output }: DoctorOptions, data: object, text: () => string): void {
  if (output === 'json') stdout.write(`${JSON.stringify(data, undefined, 4)}\n`);
  else if (output === 'yaml') stdout.write(dump(data, { lineWidth: -1, noRefs: true }));
  else stdout.write(text());
}
