"""The objects by name: the six simple ones, pottery, fruit, clothes, furniture, toys, a car."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from truehue.core.generation.renderer import shapes
from truehue.core.generation.renderer.shapes import Array, Model, Part

_AXLE, _WHEEL_Z, _TIRE = 0.40, 0.125, 0.125


def vase() -> Model:
    """A thin wall turned around the axis: foot, belly, neck and a lip that opens outward."""
    height, half_wall = 1.08, 0.022
    # The wall's radius over its height, as a polynomial through a foot, belly, neck and lip.
    knots_z = (0.0, 0.18, 0.42, 0.68, 0.88, 1.08)
    knots_r = (0.175, 0.270, 0.345, 0.225, 0.135, 0.215)
    outline = np.polynomial.Polynomial.fit(knots_z, knots_r, 5).convert().coef.astype(np.float32)

    def wall(x: Array, y: Array, z: Array) -> Array:
        r = shapes.length2(x, y)
        indices = np.clip(z, half_wall, height - half_wall)
        radius = np.full_like(indices, outline[-1])
        slope = np.zeros_like(indices)
        for c in outline[-2::-1]:
            slope = slope * indices + radius
            radius = radius * indices + c
        # A slanting wall is nearer than it is across; far away by no more than its steepest slant.
        across = r - radius
        near = np.clip(across, -0.06, 0.06)
        across = near / np.sqrt(1.0 + slope * slope) + (across - near) * np.float32(0.70)
        side = shapes.length2(across, z - indices)
        # The floor of the vase is a disc; outside of the wall it must not count.
        disc = shapes.box2(r, z - np.float32(half_wall), 0.16, 0.0)
        result: Array = (np.minimum(side, disc) - np.float32(half_wall)) * np.float32(0.88)
        return result

    low, high = (-0.38, -0.38, 0.0), (0.38, 0.38, height)
    return Model((Part(wall),), low, high, (0, 360), (14, 32))


def teapot() -> Model:
    """A round belly with a lid and its knob, a bent spout and a ring for a handle."""
    middle, reach2 = 0.36, 0.32**2 + 0.36**2

    def distance(x: Array, y: Array, z: Array) -> Array:
        r = shapes.length2(x, y)
        up = z - np.float32(middle)
        belly = shapes.ellipsoid(x, y, up, (0.44, 0.44, 0.345))
        foot = shapes.length2(r - 0.20, z - np.float32(0.035)) - np.float32(0.035)
        body = shapes.smooth_union(belly, foot, 0.05)
        # The lid is a flatter cap, told from the belly by its edge.
        lid = shapes.length2(r * np.float32(0.105 / 0.225), up - np.float32(0.275)) - np.float32(
            0.105
        )
        knob = shapes.length2(r, up - np.float32(0.425)) - np.float32(0.056)
        lid = shapes.smooth_union(lid, knob, 0.05)
        # The spout bows like an S: its axis leans outward as it rises.
        px = x - np.float32(0.34) - np.float32(0.055) * np.sin((z - np.float32(0.44)) * 8.0)
        pz = z - np.float32(0.24)
        along = np.clip(px * np.float32(0.32 / reach2) + pz * np.float32(0.36 / reach2), 0.0, 1.0)
        away = np.sqrt((px - along * 0.32) ** 2 + y * y + (pz - along * 0.36) ** 2)
        spout = away - (np.float32(0.105) - np.float32(0.059) * along)
        bore = np.minimum(np.float32(0.028) - away, (along - np.float32(0.7)) * np.float32(0.48))
        mouth = (pz - np.float32(0.378)) * 0.8 + (x - np.float32(0.66)) * 0.25
        spout = np.maximum(np.maximum(spout, bore), mouth) * np.float32(0.80)
        body = shapes.smooth_union(np.minimum(body, lid), spout, 0.06)
        ring = shapes.length2(x + 0.43, (up - np.float32(0.03)) * 0.92) - np.float32(0.215)
        ring = shapes.length2(ring, y * 0.85)
        handle = np.maximum(ring - np.float32(0.042), 0.34 - r)
        return shapes.smooth_union(body, handle, 0.05)

    low, high = (-0.70, -0.45, 0.0), (0.76, 0.45, 0.86)
    return Model((Part(distance),), low, high, (-40, 40), (14, 28))


def car() -> Model:
    """Its length lies along x with the front at -x."""

    def cabin(x: Array, y: Array, z: Array) -> Array:
        # Narrower toward the roof, and with a flatter windshield than rear window.
        up = z - np.float32(0.33)
        front = np.float32(0.29) - np.float32(0.62) * up
        rear = np.float32(0.36) - np.float32(0.30) * up
        middle, half = (rear - front) * 0.5 + np.float32(0.02), (rear + front) * 0.5
        wide = np.float32(0.265) - np.float32(0.25) * up
        round_ = np.float32(0.07)
        dx = np.abs(x - middle) - (half - round_)
        dy = np.abs(y) - (wide - round_)
        dz = np.abs(up - np.float32(0.06)) - (np.float32(0.22) - round_)
        ox, oy, oz = np.maximum(dx, 0.0), np.maximum(dy, 0.0), np.maximum(dz, 0.0)
        inside = np.minimum(np.maximum(np.maximum(dx, dy), dz), 0.0)
        return (np.sqrt(ox * ox + oy * oy + oz * oz) + inside - round_) * np.float32(0.76)

    def body(x: Array, y: Array, z: Array) -> Array:
        # The hood slopes down to the front.
        slope = np.clip(-x - np.float32(0.20), 0.0, 0.5)
        lower = shapes.rounded_box(
            x, y, (z - np.float32(0.245)) + np.float32(0.06) * slope, (0.66, 0.285, 0.135), 0.075
        )
        whole = shapes.smooth_union(lower, cabin(x, y, z), 0.035)
        arch = shapes.length2(np.abs(x) - _AXLE, z - np.float32(_WHEEL_Z)) - np.float32(0.155)
        arch = np.maximum(arch, np.float32(0.17) - np.abs(y))
        return shapes.smooth_cut(whole, arch, 0.02)

    def glass(x: Array, y: Array, z: Array) -> Array:
        skin = cabin(x, y, z) - np.float32(0.004)
        up = z - np.float32(0.33)
        front = np.float32(-0.29) + np.float32(0.62) * up
        rear = np.float32(0.36) - np.float32(0.30) * up
        band = np.abs(z - np.float32(0.468)) - np.float32(0.066)
        pillar = np.float32(0.022) - np.abs(x - np.float32(0.07))
        sides = np.maximum(np.maximum(front + 0.085 - x, x - rear + 0.075), pillar)
        wide = np.float32(0.265) - np.float32(0.25) * up
        ends = np.abs(y) - (wide - np.float32(0.055))
        panes = np.minimum(sides, ends)
        result: Array = np.maximum(skin, np.maximum(panes, band) * np.float32(0.8))
        return result

    def wheel(x: Array, y: Array, z: Array, radius: float, half: float, out: float) -> Array:
        across = np.abs(y) - np.float32(out)
        r = shapes.length2(np.abs(x) - _AXLE, z - np.float32(_WHEEL_Z))
        return shapes.box2(r, across, radius - 0.02, half - 0.02) - np.float32(0.02)

    def tires(x: Array, y: Array, z: Array) -> Array:
        return wheel(x, y, z, _TIRE, 0.055, 0.235)

    def rims(x: Array, y: Array, z: Array) -> Array:
        return wheel(x, y, z, 0.072, 0.025, 0.272)

    def lamps(x: Array, y: Array, z: Array) -> Array:
        side = np.abs(y) - np.float32(0.185)
        return shapes.ellipsoid(x + 0.622, side, z - np.float32(0.268), (0.045, 0.060, 0.052))

    parts = (
        Part(body),
        Part(glass, albedo_linear1=0.03, blocks=False),
        Part(tires, albedo_linear1=0.025, gloss=0.1),
        Part(rims, albedo_linear1=0.55, gloss=0.6, blocks=False),
        Part(lamps, albedo_linear1=0.80, gloss=0.6, blocks=False),
    )
    return Model(parts, (-0.67, -0.31, 0.0), (0.67, 0.31, 0.62), (22, 52), (14, 26))


def hat() -> Model:
    """A felt hat with a creased crown, a brim that curls up at the sides, and a dark band."""
    oval = np.float32(0.82)

    def crown_radius(x: Array, y: Array) -> Array:
        return shapes.length2(x, y * np.float32(1.0 / 0.82)) * oval

    def felt(x: Array, y: Array, z: Array) -> Array:
        r = crown_radius(x, y)
        half = np.float32(0.295) - np.float32(0.20) * (z - np.float32(0.06))
        crown = shapes.length2(
            np.maximum(r - half + 0.07, 0.0), np.maximum(np.abs(z - 0.22) - 0.15, 0.0)
        ) - np.float32(0.07)
        inside = np.minimum(np.maximum(r - half + 0.07, np.abs(z - 0.22) - 0.15), 0.0)
        crown = crown + inside
        crease = shapes.ellipsoid(x, y, z - np.float32(0.50), (0.30, 0.085, 0.13))
        crown = shapes.smooth_cut(crown, crease, 0.06)
        out, ahead = np.minimum(np.abs(y), 0.56), np.minimum(np.abs(x), 0.62)
        curl = np.float32(0.9) * out**3 - np.float32(0.10) * ahead * ahead
        level = z - np.float32(0.075) - curl
        wide = shapes.length2(x, y * np.float32(1.10)) * np.float32(0.91)
        brim = shapes.box2(wide, level, 0.53, 0.004) - np.float32(0.014)
        return shapes.smooth_union(crown, brim * np.float32(0.85), 0.06) * np.float32(0.92)

    def band(x: Array, y: Array, z: Array) -> Array:
        r = crown_radius(x, y)
        half = np.float32(0.302) - np.float32(0.20) * (z - np.float32(0.06))
        flat = np.maximum(r - half, np.abs(z - np.float32(0.165)) - np.float32(0.042))
        result: Array = flat * np.float32(0.9)
        return result

    parts = (Part(felt, gloss=0.25), Part(band, albedo_linear1=0.05, gloss=0.4))
    return Model(parts, (-0.62, -0.56, 0.0), (0.62, 0.56, 0.46), (-40, 40), (20, 34))


def apple() -> Model:
    """A ring so thick that its hole closes to two hollows, narrower toward the floor."""
    ring, tube, middle = 0.180, 0.325, 0.385

    def flesh(x: Array, y: Array, z: Array) -> Array:
        up = z - np.float32(middle)
        # Widest above the middle; five faint lobes toward the floor.
        wide = np.float32(1.02) - np.float32(0.40) * np.clip(up, -0.45, 0.4)
        x, y = x * wide, y * wide
        r = shapes.length2(x, y)
        inverse = 1.0 / np.maximum(r, 1e-6)
        c2 = (x * inverse) ** 2
        near = np.minimum(r * 2.5, 1.0)
        lobes = x * inverse * (c2 * (16.0 * c2 - 20.0) + 5.0) * near * near
        low = np.clip(0.25 - up, 0.0, 0.6)
        body = shapes.length2(r - ring, up * np.float32(0.90)) - tube
        result: Array = (body - np.float32(0.05) * low * low * lobes) * np.float32(0.76)
        return result

    def stem(x: Array, y: Array, z: Array) -> Array:
        bent = x - np.float32(0.9) * np.clip(z - np.float32(0.60), 0.0, 0.3) ** 2
        ends = (0.0, 0.0, 0.60), (0.03, 0.0, 0.86)
        return shapes.rod(bent, y, z, *ends, 0.016, 0.026) * np.float32(0.85)

    parts = (Part(flesh), Part(stem, albedo_linear1=0.06, gloss=0.2))
    return Model(parts, (-0.58, -0.58, 0.0), (0.58, 0.58, 0.90), (0, 360), (14, 30))


def banana() -> Model:
    """An arc lying on the floor, with five faint edges; stalk and blossom end are dark."""
    ring, thick, thin, back = 0.60, 0.150, 0.040, 0.38
    half = float(np.deg2rad(69.0))

    def on_spine(angle: float) -> shapes.Point:
        return ring * float(np.sin(angle)), ring * float(np.cos(angle)) - back, thick

    def peel(x: Array, y: Array, z: Array) -> Array:
        y = y + np.float32(back)
        angle = np.arctan2(x, y)
        held = np.clip(angle, -half, half)
        cos, sin = np.cos(held), np.sin(held)
        up = z - np.float32(thick)
        out = shapes.length2(x * cos - y * sin, x * sin + y * cos - ring)
        away = shapes.length2(out, up)
        # Blunt at the blossom, drawn out into the stalk.
        begin = np.float32(0.9) - np.clip((held + np.float32(half)) * 1.8, 0.0, 0.9)
        end = np.clip((np.float32(half - 0.20) - held) * 1.7, 0.0, 1.0)
        radius = np.sqrt(1.0 - begin * begin) * (end * end * (3.0 - 2.0 * end))
        # Behind the arc both ends are equally far, and at its center the whole of it is: there
        # no place on it may be thicker than another.
        radius *= 1.0 - np.clip((np.float32(-half) - angle) * 1.2, 0.0, 1.0)
        radius *= np.clip(shapes.length2(x, y) * 3.0, 0.0, 1.0)
        radius = np.float32(thin) + np.float32(thick - thin) * radius
        c2 = (up / np.maximum(away, 1e-6)) ** 2
        edges = up * (c2 * (16.0 * c2 - 20.0) + 5.0) * np.float32(0.03 / thick)
        edges *= np.minimum(np.float32(thick) / np.maximum(away, 1e-6), 1.0)
        result: Array = (away - radius * (1.0 - edges)) * np.float32(0.76)
        return result

    blossom = on_spine(-half - 0.12), on_spine(-half - 0.02)
    stalk = on_spine(half - 0.01), on_spine(half + 0.035)

    def tips(x: Array, y: Array, z: Array) -> Array:
        low = shapes.rod(x, y, z, *blossom, 0.026, 0.034)
        return np.minimum(low, shapes.rod(x, y, z, *stalk, 0.043, 0.046))

    parts = (Part(peel), Part(tips, albedo_linear1=0.05, gloss=0.2, blocks=False))
    return Model(parts, (-0.70, -0.32, 0.0), (0.70, 0.38, 0.31), (-30, 40), (34, 50))


def chair() -> Model:
    """A wooden kitchen chair: four legs, a seat, two posts and three rails. Its front is at -y."""
    session, top = 0.46, 1.06

    def distance(x: Array, y: Array, z: Array) -> Array:
        side = np.abs(x)
        board = shapes.rounded_box(x, y, z - np.float32(session), (0.265, 0.255, 0.030), 0.022)
        front = shapes.rod(
            side, y, z, (0.215, -0.205, session), (0.245, -0.235, 0.024), 0.032, 0.024
        )
        # A back leg and its post are one bent piece of wood.
        back = shapes.rod(side, y, z, (0.215, 0.210, session), (0.240, 0.265, 0.024), 0.032, 0.024)
        post = shapes.rod(side, y, z, (0.215, 0.210, session), (0.230, 0.300, top), 0.032, 0.026)
        lean = y - np.float32(0.210) - (z - np.float32(session)) * np.float32(0.15)
        bow = lean - np.float32(0.03) * (1.0 - np.minimum(side * np.float32(1 / 0.23), 1.0) ** 2)
        rails = shapes.rounded_box(
            x, bow, np.abs(z - np.float32(0.86)) - np.float32(0.12), (0.225, 0.014, 0.055), 0.012
        )
        legs = np.minimum(np.minimum(front, back), post)
        bars = shapes.length2(side - np.float32(0.231), z - np.float32(0.22)) - np.float32(0.015)
        bars = np.maximum(bars, np.abs(y) - np.float32(0.225))
        wood = shapes.smooth_union(board, legs, 0.02)
        result: Array = np.minimum(np.minimum(wood, bars), rails * np.float32(0.95))
        return result

    low, high = (-0.28, -0.27, 0.0), (0.28, 0.35, 1.10)
    return Model((Part(distance),), low, high, (18, 62), (16, 28))


def teddy_bear() -> Model:
    """A bear that sits and looks toward -y; eyes and nose are dark, the foot soles light."""

    def fur(x: Array, y: Array, z: Array) -> Array:
        side = np.abs(x)
        body = shapes.ellipsoid(x, y, z - np.float32(0.33), (0.275, 0.25, 0.33))
        head = shapes.ellipsoid(x, y + 0.02, z - np.float32(0.79), (0.250, 0.225, 0.225))
        muzzle = shapes.ellipsoid(x, y + 0.215, z - np.float32(0.745), (0.105, 0.085, 0.085))
        ear = shapes.sphere(side - 0.195, y, z - np.float32(0.965), 0.090)
        hollow = shapes.sphere(side - 0.200, y + 0.085, z - np.float32(0.970), 0.060)
        ear = shapes.smooth_cut(ear, hollow, 0.03)
        arm = shapes.rod(side, y, z, (0.225, -0.02, 0.53), (0.355, -0.20, 0.30), 0.085, 0.082)
        leg = shapes.rod(side, y, z, (0.17, -0.08, 0.125), (0.285, -0.40, 0.125), 0.115, 0.105)
        foot = shapes.ellipsoid(side - 0.292, y + 0.435, z - np.float32(0.155), (0.11, 0.07, 0.15))
        head = np.minimum(shapes.smooth_union(head, muzzle, 0.04), ear)
        limbs = np.minimum(arm, shapes.smooth_union(leg, foot, 0.05))
        return shapes.smooth_union(np.minimum(body, head), limbs, 0.03)

    def face(x: Array, y: Array, z: Array) -> Array:
        eye = shapes.sphere(np.abs(x) - 0.088, y + 0.222, z - np.float32(0.845), 0.030)
        nose = shapes.ellipsoid(x, y + 0.295, z - np.float32(0.775), (0.045, 0.026, 0.032))
        return np.minimum(eye, nose)

    parts = (Part(fur, gloss=0.15), Part(face, albedo_linear1=0.02, blocks=False))
    return Model(parts, (-0.46, -0.52, 0.0), (0.46, 0.28, 1.07), (-38, 38), (8, 22))


__all__ = ["MODELS", "OBJECTS", "Model", "Part"]


def _sphere() -> Model:
    def distance(x: Array, y: Array, z: Array) -> Array:
        return shapes.sphere(x, y, z - 0.5, 0.5)

    return Model((Part(distance),), (-0.5, -0.5, 0.0), (0.5, 0.5, 1.0), (0, 360), (12, 30))


def _cube() -> Model:
    def distance(x: Array, y: Array, z: Array) -> Array:
        return shapes.rounded_box(x, y, z - 0.4, (0.4, 0.4, 0.4), 0.035)

    return Model((Part(distance),), (-0.4, -0.4, 0.0), (0.4, 0.4, 0.8), (22, 68), (20, 34))


def _cylinder() -> Model:
    def distance(x: Array, y: Array, z: Array) -> Array:
        return shapes.rounded_cylinder(x, y, z - 0.5, 0.36, 0.5, 0.03)

    return Model((Part(distance),), (-0.36, -0.36, 0.0), (0.36, 0.36, 1.0), (0, 360), (18, 34))


def _torus() -> Model:
    def distance(x: Array, y: Array, z: Array) -> Array:
        return shapes.torus(x, y, z - 0.19, 0.42, 0.19)

    return Model((Part(distance),), (-0.61, -0.61, 0.0), (0.61, 0.61, 0.38), (0, 360), (30, 46))


def _mug() -> Model:
    wall_radius, wall_half, height, corner = 0.362, 0.030, 0.88, 0.10
    turn_radius, turn_height = wall_radius - corner, wall_half + corner

    def distance(x: Array, y: Array, z: Array) -> Array:
        r = shapes.length2(x, y)
        # The middle of the wall as a line of the (r, z) profile: flat bottom, round corner, upright
        # wall. Thickened where it ends, it gets a rim that is a true half circle.
        out, down = r - np.float32(turn_radius), np.float32(turn_height) - z
        turn = shapes.length2(np.maximum(out, 0.0), np.maximum(down, 0.0))
        line = turn + np.minimum(np.maximum(out, down), 0.0) - corner
        body = shapes.length2(line, np.maximum(z - (height - wall_half), 0.0)) - wall_half
        # The handle is a ring stretched upward, cut off where it would enter the hollow.
        stretched = np.maximum(np.abs(z - 0.47) - 0.07, 0.0)
        ring = shapes.length2(shapes.length2(x - 0.40, stretched) - 0.215, y * 0.85)
        handle = np.maximum(ring - np.float32(0.045), wall_radius - r)
        return shapes.smooth_union(body, handle, 0.05)

    return Model((Part(distance),), (-0.4, -0.4, 0.0), (0.67, 0.4, 0.9), (-50, 12), (20, 34))


def _book() -> Model:
    half_width, half_thick, half_height, board = 0.39, 0.125, 0.5, 0.017
    spine_x, bulge = -half_width + 0.05, 0.17
    center_x = spine_x + bulge
    radius = float(np.hypot(half_thick - board, bulge))

    def cover(x: Array, y: Array, z: Array) -> Array:
        # Two boards and a rounded spine as one thick line of the outline seen from above.
        middle, half = (half_width - board + spine_x) / 2, (half_width - board - spine_x) / 2
        off = np.maximum(np.abs(x - middle) - half, 0.0)
        boards = shapes.length2(off, np.abs(y) - (half_thick - board))
        spine = np.abs(shapes.length2(x - center_x, y) - radius)
        # The arc counts only within its own angle; beyond it the boards' ends are nearer.
        within = np.abs(y) * bulge < (center_x - x) * (half_thick - board)
        line = np.minimum(spine + np.float32(9.0) * ~within, boards)
        # The hinge: a shallow groove in both boards beside the spine.
        groove = shapes.length2(x - (spine_x + 0.06), np.abs(y) - (half_thick + 0.012))
        outline = np.maximum(line - np.float32(board), np.float32(0.026) - groove)
        return shapes.extruded(outline, z - half_height, half_height, 0.010)

    def pages(x: Array, y: Array, z: Array) -> Array:
        half = (half_width - 0.035, half_thick - board, half_height - 0.032)
        return shapes.rounded_box(x - 0.005, y, z - half_height, half, 0.004)

    parts = (Part(cover), Part(pages, albedo_linear1=0.82, gloss=0.0))
    return Model(parts, (-0.40, -0.13, 0.0), (0.40, 0.13, 1.0), (-46, -24), (18, 32))


# The pieces that the images of these six have always been drawn in.
_SIMPLE_RAYS_AT_ONCE = 32768

_SIMPLE: dict[str, Callable[[], Model]] = {
    "sphere": _sphere,
    "cube": _cube,
    "cylinder": _cylinder,
    "torus": _torus,
    "mug": _mug,
    "book": _book,
}
_RICH: dict[str, Callable[[], Model]] = {
    "apple": apple,
    "banana": banana,
    "vase": vase,
    "teapot": teapot,
    "chair": chair,
    "car": car,
    "hat": hat,
    "teddy bear": teddy_bear,
}

MODELS: MappingProxyType[str, Model] = MappingProxyType(
    {
        **{
            name: replace(build(), rays_at_once=_SIMPLE_RAYS_AT_ONCE)
            for name, build in _SIMPLE.items()
        },
        **{name: build() for name, build in _RICH.items()},
    }
)
OBJECTS: tuple[str, ...] = tuple(MODELS)
