import { vi } from "vitest";
import { describeLeft } from "../left.contract.ts";
import { describeStanding } from "../standing.contract.ts";
import { describeWorkspaces } from "../workspace.contract.ts";
import { makeCheckout } from "./checkout.fixture.ts";

// Real processes on a loaded machine.
vi.setConfig({ testTimeout: 60_000 });

describeWorkspaces("in-place", () => makeCheckout(), { inPlace: true });
describeLeft("in-place", (files) => makeCheckout({ files }), { inPlace: true });
describeStanding("in-place", () => makeCheckout());
