"""``python tests/bench/path_traced.py SEED DIR``: twelve path-traced scenes, for trying constants.

Run it with a Python that has Blender as a module (``pip install bpy==5.0.1``, Python 3.11): TrueHue
does not need it. Each scene is one file of numpy's: ``images`` float32 ``(3, H, W)``, the linear light
of one channel with the object in a gray of each of three albedos, and ``mask`` bool ``(H, W)``. A color
of the object follows from the parabola through the three (:mod:`tests.bench.rule_variants`).
docs/science/rule_accuracy.md describes the scenes.
"""

from __future__ import annotations

import math
import random
import sys
from pathlib import Path
from typing import Any

import bpy  # type: ignore[import-not-found]
import numpy as np
from mathutils import Vector as BlenderVector  # type: ignore[import-not-found]

ALBEDOS = (0.03, 0.45, 0.92)
SCENES, SIZE_PX, SAMPLES = 12, 96, 48
SHAPES = (
    *("sphere", "cube", "torus", "cylinder", "cone", "monkey"),
    *("polyhedron", "pair", "cup", "blob"),
)
MATERIALS = ("matte", "plastic", "coated")
LIGHTS = ("overcast", "window", "sun", "soft box", "spot", "two lamps")
DISTANCE, TARGET_Z, FOCAL_MM = 3.6, 0.42, 70.0

Position = tuple[float, float, float]


def aim(item: Any, way: Position) -> None:
    """Turns a camera or a light so that it looks along ``way``."""
    item.rotation_euler = BlenderVector(way).to_track_quat("-Z", "Y").to_euler()


def linked(name: str, data: Any) -> Any:
    """A new item of the scene."""
    item = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(item)
    return item


def smooth() -> None:
    """Shades the active mesh smoothly."""
    bpy.ops.object.shade_smooth()


def bevel(width: float) -> None:
    """Rounds the edges of the active mesh."""
    modifier = bpy.context.object.modifiers.new("bevel", "BEVEL")
    modifier.width, modifier.segments = width, 4


def add_shape(name: str) -> Any:
    """A mesh about one unit in size on the floor."""
    mesh = bpy.ops.mesh
    if name in ("sphere", "blob"):
        mesh.primitive_uv_sphere_add(segments=96, ring_count=48, radius=0.5, location=(0, 0, 0.5))
        smooth()
    elif name == "polyhedron":
        mesh.primitive_ico_sphere_add(subdivisions=1, radius=0.55, location=(0, 0, 0.45))
    elif name == "cube":
        mesh.primitive_cube_add(size=0.8, location=(0, 0, 0.4))
        bevel(0.06)
    elif name == "torus":
        mesh.primitive_torus_add(
            major_radius=0.42,
            minor_radius=0.18,
            major_segments=64,
            minor_segments=32,
            location=(0, 0, 0.18),
        )
        smooth()
    elif name == "cylinder":
        mesh.primitive_cylinder_add(radius=0.38, depth=0.9, vertices=64, location=(0, 0, 0.45))
        bevel(0.04)
    elif name == "cone":
        mesh.primitive_cone_add(
            radius1=0.5, radius2=0.12, depth=0.95, vertices=64, location=(0, 0, 0.475)
        )
    elif name == "monkey":
        mesh.primitive_monkey_add(size=0.95, location=(0, 0, 0.5))
        bpy.context.object.modifiers.new("subdivision", "SUBSURF").render_levels = 2
        smooth()
    elif name == "cup":
        mesh.primitive_cylinder_add(
            radius=0.4, depth=0.8, vertices=64, end_fill_type="NOTHING", location=(0, 0, 0.4)
        )
        bpy.context.object.modifiers.new("wall", "SOLIDIFY").thickness = 0.07
        smooth()
    else:
        mesh.primitive_uv_sphere_add(
            segments=48, ring_count=24, radius=0.3, location=(-0.22, 0, 0.3)
        )
        smooth()
        ball = bpy.context.object
        mesh.primitive_cube_add(size=0.5, location=(0.3, 0.1, 0.25))
        ball.select_set(True)
        bpy.ops.object.join()
    if name == "blob":
        texture = bpy.data.textures.new("clouds", "CLOUDS")
        texture.noise_scale = 0.45
        modifier = bpy.context.object.modifiers.new("bumps", "DISPLACE")
        modifier.texture, modifier.strength, modifier.mid_level = texture, 0.22, 0.5
    return bpy.context.object


def add_material(item: Any, kind: str) -> Any:
    """Gives an item a material of one of :data:`MATERIALS`, and returns its shader."""
    material = bpy.data.materials.new(kind)
    material.use_nodes = True
    item.data.materials.clear()
    item.data.materials.append(material)
    shader = material.node_tree.nodes["Principled BSDF"]
    roughness = {"matte": 1.0, "plastic": 0.35, "coated": 0.6}[kind]
    shader.inputs["Roughness"].default_value = roughness
    shader.inputs["Specular IOR Level"].default_value = 0.0 if kind == "matte" else 0.5
    if kind == "coated":
        shader.inputs["Coat Weight"].default_value = 1.0
        shader.inputs["Coat Roughness"].default_value = 0.05
    return shader


def set_gray(shader: Any, albedo: float) -> None:
    """Gives a shader a gray."""
    shader.inputs["Base Color"].default_value = (albedo, albedo, albedo, 1.0)


class Lighting:
    """Lights of one scene, placed by angles from the camera at ``azimuth_deg``."""

    def __init__(self, azimuth_deg: float, side_deg: float) -> None:
        self.azimuth_deg, self.side_deg = azimuth_deg, side_deg

    def place(self, name: str) -> None:
        """The lights of one of :data:`LIGHTS`."""
        side = self.side_deg
        if name == "overcast":
            self.sky(0.9)
            self.sun(side, 65.0, 0.6, 50.0)
        elif name == "window":
            self.sky(0.12)
            self.lamp(math.copysign(75.0, side), 25.0, 2.6, 1.6, 120.0)
        elif name == "sun":
            self.sky(0.35)
            self.sun(side, 42.0, 3.0, 0.6)
        elif name == "soft box":
            self.sky(0.25)
            self.lamp(0.6 * side, 40.0, 2.6, 1.4, 110.0)
        elif name == "spot":
            self.sky(0.05)
            self.lamp(side, 48.0, 3.0, 0.08, 160.0)
        else:
            self.sky(0.08)
            self.lamp(50.0, 35.0, 2.8, 0.4, 100.0)
            self.lamp(-60.0, 30.0, 3.0, 0.5, 60.0)

    def sky(self, strength: float) -> None:
        """Even white light from all around."""
        world = bpy.data.worlds.new("sky")
        world.use_nodes = True
        bpy.context.scene.world = world
        inputs = world.node_tree.nodes["Background"].inputs
        inputs["Color"].default_value = (1.0, 1.0, 1.0, 1.0)
        inputs["Strength"].default_value = strength

    def sun(self, turn_deg: float, elevation_deg: float, energy: float, angle_deg: float) -> None:
        """Light from far away."""
        data = bpy.data.lights.new("sun", "SUN")
        data.energy, data.angle = energy, math.radians(angle_deg)
        x, y, z = polar(self.azimuth_deg + turn_deg, elevation_deg, 1.0)
        aim(linked("sun", data), (-x, -y, -z))

    def lamp(
        self, turn_deg: float, elevation_deg: float, away: float, size: float, watts: float
    ) -> None:
        """A square area light that shines on the object."""
        data = bpy.data.lights.new("lamp", "AREA")
        data.size, data.energy = size, watts
        item = linked("lamp", data)
        x, y, z = item.location = polar(self.azimuth_deg + turn_deg, elevation_deg, away)
        aim(item, (-x, -y, 0.5 - z))


def polar(azimuth_deg: float, elevation_deg: float, away: float) -> Position:
    """A position around the object; azimuth 0 is before it."""
    azimuth, elevation = math.radians(azimuth_deg), math.radians(elevation_deg)
    flat = away * math.cos(elevation)
    return flat * math.sin(azimuth), -flat * math.cos(azimuth), away * math.sin(elevation)


def render(path: Path) -> np.ndarray:
    """One channel of the scene's linear light, float32 ``(H, W)``."""
    bpy.context.scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(path))
    pixels = np.array(image.pixels[:], np.float32).reshape(SIZE_PX, SIZE_PX, -1)[::-1, :, 0]
    bpy.data.images.remove(image)
    return pixels


def set_up(seed: int) -> None:
    """Cycles on the processor."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.max_bounces, scene.cycles.seed = SAMPLES, 6, seed
    scene.cycles.use_denoising = False
    scene.render.resolution_x = scene.render.resolution_y = SIZE_PX
    settings = scene.render.image_settings
    settings.file_format, settings.color_mode, settings.color_depth = "OPEN_EXR", "RGB", "32"
    scene.view_settings.view_transform = "Raw"


def mask_of(item: Any, floor: Any, path: Path) -> np.ndarray:
    """Where all samples of a pixel lie on the item: it alone shines."""
    material = bpy.data.materials.new("shines")
    material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    shines, output = (
        tree.nodes.new(f"ShaderNode{kind}") for kind in ("Emission", "OutputMaterial")
    )
    tree.links.new(shines.outputs[0], output.inputs[0])
    item.data.materials[0] = material
    set_gray(floor, 0.0)
    for light in [each for each in bpy.data.objects if each.type == "LIGHT"]:
        bpy.data.objects.remove(light)
    scene = bpy.context.scene
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.0
    scene.cycles.max_bounces = 0
    return render(path) > 0.99


def main(seed: int, folder: Path) -> None:
    """Writes the scenes of a seed."""
    folder.mkdir(parents=True, exist_ok=True)
    draws, path = random.Random(seed), folder / "channel.exr"
    for number in range(SCENES):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        shape, kind = draws.choice(SHAPES), draws.choice(MATERIALS)
        light = LIGHTS[number % len(LIGHTS)]
        azimuth_deg, elevation_deg = draws.uniform(-180.0, 180.0), draws.uniform(14.0, 34.0)
        turn_deg, side_deg = draws.uniform(0.0, 360.0), draws.uniform(-80.0, 80.0)
        floor_albedo = draws.uniform(0.25, 0.6)
        item = add_shape(shape)
        item.rotation_euler[2] = math.radians(turn_deg)
        shader = add_material(item, kind)
        bpy.ops.mesh.primitive_plane_add(size=60)
        floor = add_material(bpy.context.object, "matte")
        set_gray(floor, floor_albedo)
        camera = linked("camera", bpy.data.cameras.new("camera"))
        camera.data.lens = FOCAL_MM
        bpy.context.scene.camera = camera
        x, y, z = polar(azimuth_deg, elevation_deg, DISTANCE)
        camera.location = (x, y, z + TARGET_Z)
        aim(camera, (-x, -y, -z))
        Lighting(azimuth_deg, side_deg).place(light)
        set_up(100 * seed + number)
        images = []
        for albedo in ALBEDOS:
            set_gray(shader, albedo)
            images.append(render(path))
        mask = mask_of(item, floor, path)
        np.savez_compressed(
            folder / f"{number:02d}.npz", images=np.array(images), mask=mask, light=light
        )
        print(seed, number, shape, kind, light, flush=True)
    path.unlink()


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
